package org.weft.osd.store.value;

/**
 * The length of a file as a write establishes it.
 *
 * @param truncationNumber that the length belongs to; a larger one than stored replaces both
 */
public record FileLength(long eofBytes, int truncationNumber) {}
