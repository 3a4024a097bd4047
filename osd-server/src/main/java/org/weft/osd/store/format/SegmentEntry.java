package org.weft.osd.store.format;

/**
 * A segment file.
 *
 * @param name of the file
 * @param blockCount how many blocks it may grow to
 */
public record SegmentEntry(int segment, String name, int blockCount) {}
