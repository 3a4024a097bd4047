package org.weft.osd.store.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;

/**
 * An object as of one commit: its record, and what was looked up of it so far, decoded. All of it
 * belongs together, since it is thrown away as a whole with the next commit that touches the
 * object. Thread-safe.
 */
final class CachedObject {
  /** Past it pages of an object are looked up again: a long component must not crowd out others. */
  private static final int MOST_PAGES = 64;

  private final ObjectRecord record;
  private final Map<Long, ExtentPage> pages = new ConcurrentHashMap<>();
  private volatile PendingRecords pending;

  CachedObject(ObjectRecord record) {
    this.record = record;
    this.pending = record.hasPending() ? null : PendingRecords.NONE;
  }

  ObjectRecord record() {
    return record;
  }

  /** The page, or null if it was not looked up yet. */
  ExtentPage page(long number) {
    return pages.get(number);
  }

  /** The pending list, or null if it was not looked up yet. */
  PendingRecords pending() {
    return pending;
  }

  /** Takes what was looked up and belongs to the same commit. */
  void add(Map<Long, ExtentPage> found, PendingRecords list) {
    if (pages.size() + found.size() > MOST_PAGES) {
      pages.clear();
    }
    pages.putAll(found);
    if (list != null) {
      pending = list;
    }
  }

  /** Memory it takes, about. */
  int weightBytes() {
    int bytes = 256;
    for (ExtentPage page : pages.values()) {
      bytes += 64 + page.extents().size() * 96 + page.storedBlocks() * 4;
    }
    PendingRecords list = pending;
    return bytes + (list == null ? 0 : list.records().size() * 256);
  }
}
