package org.weft.osd.store.format;

/**
 * A segment file.
 *
 * @param name of the file
 * @param blockCount how many blocks it may grow to
 * @param grownBlocks how many it has; extents lie in these
 */
public record SegmentEntry(int segment, String name, int blockCount, int grownBlocks) {
  public SegmentEntry grownTo(int blocks) {
    return new SegmentEntry(segment, name, blockCount, blocks);
  }
}
