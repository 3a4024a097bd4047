/**
 * Byte-range locks below the API (P 6.5), of a file by its path or its number. An owner asks for
 * them, is given them, cancels and unlocks.
 */
package org.weft.client.lock;
