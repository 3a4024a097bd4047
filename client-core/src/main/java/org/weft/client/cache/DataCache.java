package org.weft.client.cache;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.concurrent.atomic.LongAdder;

/**
 * The memory of one client for bytes of files that it relies on without asking (P 6.5e), over all
 * its volumes. Bounded: past that, pages go that were not looked at for longest, about. The bytes
 * are on the heap, each once, in arrays of a page or less.
 *
 * <p>Thread-safe. Its lock is held for changes of memory alone, never for a look or over IO.
 */
public final class DataCache {
  /** Bytes are kept in pages that begin at multiples of this. */
  static final int PAGE_BYTES = 16 << 10;

  /** Longer reads are neither answered from here nor kept: they would wash out all else. */
  public static final int MAX_READ_BYTES = 64 << 10;

  private final long mostBytes;
  private final PageAdmission admission;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder hitBytes = new LongAdder();

  // Guarded by this.
  private final LinkedHashSet<FilePage> turns = new LinkedHashSet<>();
  private long heldBytes;

  /**
   * @param mostBytes with what it takes to find them
   */
  public DataCache(long mostBytes) {
    this.mostBytes = mostBytes;
    this.admission = new PageAdmission((int) Math.min(Integer.MAX_VALUE / 2, mostBytes / 4_096));
  }

  /** The page was asked for before, and is worth room. */
  boolean admits(long objectId, long page) {
    return admission.isAskedForAgain(objectId, page);
  }

  /** Keeps a page, whose bytes do not change any more, unless its grant has ended. */
  synchronized void put(FilePages file, long number, byte[] bytes) {
    FilePage page = new FilePage(file, number, bytes);
    if (file.isDropped() || page.costBytes() > mostBytes) {
      return;
    }
    FilePage before = file.put(page);
    if (before != null) {
      forget(before);
    }
    turns.add(page);
    heldBytes += page.costBytes();
    makeRoom();
  }

  private void forget(FilePage page) {
    if (turns.remove(page)) {
      heldBytes -= page.costBytes();
    }
  }

  private void makeRoom() {
    // A second pass finds no page that was used, but for looks that go on meanwhile: two are
    // enough.
    int passes = 2 * turns.size();
    while (heldBytes > mostBytes) {
      Iterator<FilePage> first = turns.iterator();
      FilePage next = first.next();
      first.remove();
      if (passes-- > 0 && !next.isIdle()) {
        turns.add(next);
      } else {
        heldBytes -= next.costBytes();
        next.file().remove(next);
      }
    }
  }

  /** The grant has ended. */
  synchronized void drop(FilePages file) {
    file.drop().forEach(this::forget);
  }

  /** A read was answered from here. */
  void hit(int lengthBytes) {
    hits.increment();
    hitBytes.add(lengthBytes);
  }

  /** A read of a file that was granted could not be. */
  void missed() {
    misses.increment();
  }

  /** What it has done until now. */
  public DataCacheCounts counts() {
    long held;
    synchronized (this) {
      held = heldBytes;
    }
    return new DataCacheCounts(hits.sum(), misses.sum(), hitBytes.sum(), held);
  }
}
