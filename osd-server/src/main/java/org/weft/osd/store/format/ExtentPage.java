package org.weft.osd.store.format;

import java.util.ArrayList;
import java.util.List;

/**
 * The extents of {@value #BLOCKS} blocks of an object. They are stored, looked up and replaced as
 * one value. So the map of a range switches atomically, and a lookup is one get. Immutable; extents
 * ascend, do not overlap and stay inside the page. A block in no extent reads as zeros.
 */
public record ExtentPage(long number, List<Extent> extents) {
  public static final int BLOCKS = 128;

  public ExtentPage {
    extents = List.copyOf(extents);
  }

  public static ExtentPage empty(long number) {
    return new ExtentPage(number, List.of());
  }

  /** Number of the page that a block of an object belongs to. */
  public static long of(long block) {
    return block / BLOCKS;
  }

  public long firstBlock() {
    return number * BLOCKS;
  }

  public long endBlock() {
    return firstBlock() + BLOCKS;
  }

  /** The parts of extents inside a range, which may reach beyond the page. */
  public List<Extent> within(long fromBlock, long toBlock) {
    List<Extent> parts = new ArrayList<>();
    for (Extent extent : extents) {
      long from = Math.max(fromBlock, extent.firstBlock());
      long to = Math.min(toBlock, extent.endBlock());
      if (from < to) {
        parts.add(extent.part(from, to));
      }
    }
    return parts;
  }

  /** The extent that holds the block, or null. */
  public Extent at(long block) {
    for (Extent extent : extents) {
      if (block >= extent.firstBlock() && block < extent.endBlock()) {
        return extent;
      }
    }
    return null;
  }

  /** With this extent in place of whatever is stored in its range. */
  public ExtentPage with(Extent newer) {
    if (newer.firstBlock() < firstBlock() || newer.endBlock() > endBlock()) {
      throw new IllegalArgumentException(
          "blocks " + newer.firstBlock() + ".." + newer.endBlock() + " are not of page " + number);
    }
    List<Extent> next = new ArrayList<>(extents.size() + 2);
    boolean placed = false;
    for (Extent extent : extents) {
      if (!placed && extent.endBlock() > newer.firstBlock()) {
        if (extent.firstBlock() < newer.firstBlock()) {
          next.add(extent.part(extent.firstBlock(), newer.firstBlock()));
        }
        next.add(newer);
        placed = true;
      }
      if (extent.endBlock() <= newer.firstBlock() || extent.firstBlock() >= newer.endBlock()) {
        next.add(extent);
      } else if (extent.endBlock() > newer.endBlock()) {
        next.add(extent.part(newer.endBlock(), extent.endBlock()));
      }
    }
    if (!placed) {
      next.add(newer);
    }
    return new ExtentPage(number, next);
  }

  public int storedBlocks() {
    int stored = 0;
    for (Extent extent : extents) {
      stored += extent.blockCount();
    }
    return stored;
  }
}
