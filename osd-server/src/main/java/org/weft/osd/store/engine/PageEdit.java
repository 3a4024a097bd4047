package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.space.BlockRange;

/** Puts new extents into the pages of an object, in one transaction. */
final class PageEdit {
  private final Transaction transaction;
  private final long handle;
  private final SortedMap<Long, ExtentPage> pages = new TreeMap<>();
  private final SortedMap<Long, List<Extent>> lost = new TreeMap<>();
  private long addedBlocks;

  /**
   * @param known pages as of now, so that they are not looked up again
   */
  PageEdit(Transaction transaction, long handle, List<ExtentPage> known) {
    this.transaction = transaction;
    this.handle = handle;
    known.forEach(page -> pages.put(page.number(), page));
  }

  /** The extent, which lies inside one page, takes the place of what is there. */
  void put(Extent extent) throws IOException {
    long number = ExtentPage.of(extent.firstBlock());
    ExtentPage page = page(number);
    List<Extent> replaced = page.within(extent.firstBlock(), extent.endBlock());
    transaction.use(extent);
    addedBlocks += extent.blockCount();
    for (Extent old : replaced) {
      addedBlocks -= old.blockCount();
    }
    lost.computeIfAbsent(number, n -> new ArrayList<>()).addAll(replaced);
    pages.put(number, page.with(extent));
  }

  /** What holds the block as of now, or null. */
  Extent at(long block) throws IOException {
    return page(ExtentPage.of(block)).at(block);
  }

  private ExtentPage page(long number) throws IOException {
    ExtentPage page = pages.get(number);
    if (page == null) {
      page = transaction.page(handle, number);
      pages.put(number, page);
    }
    return page;
  }

  /** Stages the pages that changed; returns how many blocks the object holds more. */
  long finish() throws IOException {
    for (Map.Entry<Long, List<Extent>> entry : lost.entrySet()) {
      transaction.putPage(handle, pages.get(entry.getKey()));
      if (!entry.getValue().isEmpty()) {
        entry.getValue().forEach(transaction::free);
        transaction.keepReplaced(handle, entry.getKey(), entry.getValue());
      }
    }
    return addedBlocks;
  }

  /**
   * Extents of blocks that were written to these ranges, cut at the borders of pages.
   *
   * @param like gives everything but the place and the CRCs; its own are those of the first block
   */
  static List<Extent> extents(Extent like, List<BlockRange> ranges) {
    List<Extent> extents = new ArrayList<>();
    long block = like.firstBlock();
    for (BlockRange range : ranges) {
      int done = 0;
      while (done < range.blockCount()) {
        long pageEnd = (ExtentPage.of(block) + 1) * ExtentPage.BLOCKS;
        int count = (int) Math.min(range.blockCount() - done, pageEnd - block);
        Extent part = like.part(block, block + count);
        extents.add(
            new Extent(
                block,
                part.flags(),
                part.snapshot(),
                part.grant(),
                part.sequence(),
                part.strideBlocks(),
                range.segment(),
                range.firstBlock() + done,
                part.crcs()));
        block += count;
        done += count;
      }
    }
    return extents;
  }
}
