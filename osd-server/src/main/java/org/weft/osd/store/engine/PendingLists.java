package org.weft.osd.store.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;

/**
 * Short pending lists of objects that are being written, as committed, so that a stream of writes
 * does not read back what it has just stored. A list belongs to one change of its object. Bounded;
 * thread-safe.
 */
final class PendingLists {
  private static final int MAX_LISTS = 1024;
  private static final int MAX_RECORDS = 64;

  private final Map<Long, Entry> lists = new LinkedHashMap<>(16, 0.75f, true);

  private record Entry(long change, PendingRecords list) {}

  /** The list of the object as of this record; null if it is not known. */
  synchronized PendingRecords of(ObjectRecord record) {
    Entry entry = lists.get(record.handle());
    return entry != null && entry.change() == record.change() ? entry.list() : null;
  }

  /** Called once the change is committed. */
  synchronized void put(long handle, long change, PendingRecords list) {
    if (list.isEmpty() || list.records().size() > MAX_RECORDS) {
      lists.remove(handle);
      return;
    }
    lists.put(handle, new Entry(change, list));
    if (lists.size() > MAX_LISTS) {
      lists.remove(lists.keySet().iterator().next());
    }
  }
}
