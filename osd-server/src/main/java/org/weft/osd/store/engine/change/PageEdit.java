package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;

/** Puts extents into the pages of an object, in one transaction. */
final class PageEdit {
  /** What becomes of extents that others take the place of. */
  enum Replaced {
    /** Nothing leads to their blocks any more. */
    FREED,
    /** They are kept, by a record of the pending list: {@link #kept}. */
    KEPT,
    /**
     * Freed; and where there was nothing, that is noted for a power loss. A write that XORs cannot
     * be told from its bytes by a checksum alone: the note says what was there without it. And the
     * blocks of a directory go back together, to where some of them were not.
     */
    FREED_AND_HOLES_NOTED,
    /** Freed; and no power loss brings them back, or anything older. */
    FREED_FOR_GOOD
  }

  private final Transaction transaction;
  private final long handle;
  private final Replaced fate;
  private final SortedMap<Long, ExtentPage> pages = new TreeMap<>();
  private final SortedMap<Long, List<Extent>> lost = new TreeMap<>();
  private final List<Extent> kept = new ArrayList<>();
  private long addedBlocks;

  /**
   * @param known pages as of now, so that they are not looked up again
   */
  PageEdit(Transaction transaction, long handle, List<ExtentPage> known, Replaced fate) {
    this.transaction = transaction;
    this.handle = handle;
    this.fate = fate;
    known.forEach(page -> pages.put(page.number(), page));
  }

  /** The extent, which lies inside one page, takes the place of what is there. */
  void put(Extent extent) throws IOException {
    long number = ExtentPage.of(extent.firstBlock());
    ExtentPage page = page(number);
    List<Extent> replaced = page.within(extent.firstBlock(), extent.endBlock());
    transaction.use(extent);
    addedBlocks += extent.blockCount();
    List<Extent> noted = lost.computeIfAbsent(number, n -> new ArrayList<>());
    noted.addAll(replaced);
    if (fate == Replaced.FREED_AND_HOLES_NOTED) {
      addHoles(extent, replaced, noted);
    }
    if (fate == Replaced.KEPT) {
      kept.addAll(replaced);
    } else {
      free(replaced);
    }
    pages.put(number, page.with(extent));
  }

  private static void addHoles(Extent extent, List<Extent> replaced, List<Extent> noted) {
    long from = extent.firstBlock();
    for (Extent old : replaced) {
      if (from < old.firstBlock()) {
        noted.add(Extent.hole(from, old.firstBlock()));
      }
      from = old.endBlock();
    }
    if (from < extent.endBlock()) {
      noted.add(Extent.hole(from, extent.endBlock()));
    }
  }

  private void free(List<Extent> gone) {
    for (Extent extent : gone) {
      transaction.free(extent);
      addedBlocks -= extent.blockCount();
    }
  }

  /**
   * Undoes a write that kept what it took the place of: that comes back, holes too. No note is made
   * of the bytes that go. After a power loss they are not wanted, and their blocks are not used
   * again until a checkpoint covers this commit.
   */
  void undo(PendingRecord record) throws IOException {
    long first = record.firstBlock();
    long end = record.endBlock();
    for (long n = ExtentPage.of(first); first < end && n <= ExtentPage.of(end - 1); n++) {
      ExtentPage page = page(n);
      List<Extent> next = new ArrayList<>();
      List<Extent> gone = new ArrayList<>();
      for (Extent extent : page.extents()) {
        splitOff(extent, first, end, next, gone);
      }
      free(gone);
      ExtentPage restored = new ExtentPage(n, next);
      for (Extent old : record.kept()) {
        if (ExtentPage.of(old.firstBlock()) == n) {
          restored = restored.with(old);
        }
      }
      lost.computeIfAbsent(n, number -> new ArrayList<>());
      pages.put(n, restored);
    }
  }

  private static void splitOff(
      Extent extent, long first, long end, List<Extent> outside, List<Extent> inside) {
    long from = Math.max(first, extent.firstBlock());
    long to = Math.min(end, extent.endBlock());
    if (from >= to) {
      outside.add(extent);
      return;
    }
    if (extent.firstBlock() < from) {
      outside.add(extent.part(extent.firstBlock(), from));
    }
    inside.add(extent.part(from, to));
    if (to < extent.endBlock()) {
      outside.add(extent.part(to, extent.endBlock()));
    }
  }

  /** What was taken the place of and is kept, in order. */
  List<Extent> kept() {
    return kept;
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

  /**
   * Stages the pages that changed; returns how many blocks the object holds more, those that are
   * kept included.
   */
  long finish() {
    for (Map.Entry<Long, List<Extent>> entry : lost.entrySet()) {
      ExtentPage page = pages.get(entry.getKey());
      if (page.extents().isEmpty()) {
        transaction.remove(StoreKeys.extents(handle, page.number()));
      } else {
        transaction.putPage(handle, page);
      }
      if (!entry.getValue().isEmpty()) {
        entry.getValue().sort(Comparator.comparingLong(Extent::firstBlock));
        note(entry.getKey(), entry.getValue());
      }
    }
    return addedBlocks;
  }

  private void note(long page, List<Extent> gone) {
    if (fate == Replaced.FREED_FOR_GOOD) {
      transaction.keepCut(handle, page, gone);
    } else {
      transaction.keepReplaced(handle, page, gone);
    }
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
