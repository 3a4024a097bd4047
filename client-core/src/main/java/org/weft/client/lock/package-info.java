/**
 * Byte-range locks below the API (P 6.5): what one owner has asked for, was given, cancelled and
 * unlocks, of a file by its path or its number.
 */
package org.weft.client.lock;
