package org.weft.osd.store.value;

/** Blocks that are stored one after another in a component. */
public record BlockRun(long firstBlock, int blockCount) {
  public long endBlock() {
    return firstBlock + blockCount;
  }
}
