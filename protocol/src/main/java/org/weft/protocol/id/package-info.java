/** Names of things: one-field records, so that no two kinds of number can be confused. */
package org.weft.protocol.id;
