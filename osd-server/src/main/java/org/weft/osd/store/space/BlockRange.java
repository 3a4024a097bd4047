package org.weft.osd.store.space;

/** Blocks one after another in one segment. */
public record BlockRange(int segment, int firstBlock, int blockCount) {
  public BlockRange {
    if (segment < 0 || firstBlock < 0 || blockCount < 1) {
      throw new IllegalArgumentException(
          "no range: segment " + segment + ", block " + firstBlock + ", count " + blockCount);
    }
  }

  public int endBlock() {
    return firstBlock + blockCount;
  }

  public boolean overlaps(BlockRange other) {
    return segment == other.segment
        && firstBlock < other.endBlock()
        && other.firstBlock < endBlock();
  }
}
