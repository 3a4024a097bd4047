package org.weft.osd.store.engine.state;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;

/**
 * An object as of one commit: its record, and what was looked up of it so far, decoded. All of it
 * belongs together, since it is thrown away as a whole with the next commit that touches the
 * object. Thread-safe.
 */
public final class CachedObject {
  /** {@link #firstPageLsn} where it was not looked up. */
  public static final long UNKNOWN_LSN = -1;

  private static final int RECORD_BYTES = 448;
  private static final int MAX_KEPT_PAGES = 16;

  private final ObjectRecord record;
  private final int mostPageBytes;
  private final Map<Long, Weighed> pages = new ConcurrentHashMap<>();
  private final AtomicInteger pageBytes = new AtomicInteger();
  private final long firstPageLsn;
  private volatile PendingRecords pending;

  /** A page and the memory it takes, which is counted once: pages stay over many commits. */
  private record Weighed(ExtentPage page, int weightBytes) {
    static Weighed of(ExtentPage page) {
      int bytes = 64 + page.extents().size() * 96 + page.storedBlocks() * Integer.BYTES;
      return new Weighed(page, bytes);
    }
  }

  /**
   * @param mostPageBytes of pages that are kept, about: a long component must not crowd out all
   *     others
   */
  CachedObject(ObjectRecord record, int mostPageBytes) {
    this(record, mostPageBytes, UNKNOWN_LSN);
  }

  private CachedObject(ObjectRecord record, int mostPageBytes, long firstPageLsn) {
    this.record = record;
    this.mostPageBytes = mostPageBytes;
    this.firstPageLsn = firstPageLsn;
    this.pending = record.hasPending() ? null : PendingRecords.NONE;
  }

  /**
   * The object after a commit. Of a few other pages it knows what is known here; of many, only what
   * the commit changed. So a long component is not copied with each write.
   *
   * @param changed pages of which the commit knows better
   * @param list the pending list, or null if it is not known
   * @param pageLsn of attribute page 0 if the commit stores it, or {@link #UNKNOWN_LSN}
   */
  CachedObject after(
      ObjectRecord next, Map<Long, ExtentPage> changed, PendingRecords list, long pageLsn) {
    Map<Long, Weighed> known = new HashMap<>();
    if (pages.size() <= MAX_KEPT_PAGES) {
      known.putAll(pages);
    }
    changed.forEach((number, page) -> known.put(number, Weighed.of(page)));
    CachedObject object =
        new CachedObject(next, mostPageBytes, pageLsn == UNKNOWN_LSN ? firstPageLsn : pageLsn);
    object.keep(known, next.hasPending() ? list : null);
    return object;
  }

  /** Its record, as of the commit. */
  public ObjectRecord record() {
    return record;
  }

  /** LSN of attribute page 0, or {@link #UNKNOWN_LSN}; no page has that one. */
  public long firstPageLsn() {
    return firstPageLsn;
  }

  /** The page, or null if it was not looked up yet. */
  public ExtentPage page(long number) {
    Weighed known = pages.get(number);
    return known == null ? null : known.page();
  }

  /** The pending list, or null if it was not looked up yet. */
  public PendingRecords pending() {
    return pending;
  }

  /** Takes what was looked up and belongs to the same commit. */
  public void add(Map<Long, ExtentPage> found, PendingRecords list) {
    Map<Long, Weighed> weighed = new HashMap<>();
    found.forEach((number, page) -> weighed.put(number, Weighed.of(page)));
    keep(weighed, list);
  }

  private void keep(Map<Long, Weighed> found, PendingRecords list) {
    int moreBytes = found.values().stream().mapToInt(Weighed::weightBytes).sum();
    if (pageBytes.get() + moreBytes > mostPageBytes) {
      shrinkTo(mostPageBytes - mostPageBytes / 8 - moreBytes);
    }
    found.forEach(
        (number, page) -> {
          if (pages.putIfAbsent(number, page) == null) {
            pageBytes.addAndGet(page.weightBytes());
          }
        });
    if (list != null) {
      pending = list;
    }
  }

  /** Lets some pages go, whichever they are: where they are read at random, none is the better. */
  private void shrinkTo(int bytes) {
    Iterator<Map.Entry<Long, Weighed>> all = pages.entrySet().iterator();
    while (pageBytes.get() > bytes && all.hasNext()) {
      Map.Entry<Long, Weighed> each = all.next();
      if (pages.remove(each.getKey(), each.getValue())) {
        pageBytes.addAndGet(-each.getValue().weightBytes());
      }
    }
  }

  /** Memory it takes, about. */
  int weightBytes() {
    PendingRecords list = pending;
    long listBytes =
        list == null ? 0 : list.records().size() * 256L + list.keptBlocks() * Integer.BYTES;
    return RECORD_BYTES + pageBytes.get() + (int) Math.min(listBytes, Integer.MAX_VALUE / 2);
  }
}
