package org.weft.osd.store.engine;

import org.weft.osd.store.Authority;
import org.weft.osd.store.Mutation;
import org.weft.osd.store.ObjectWrite;
import org.weft.osd.store.WriteCompletion;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.protocol.id.ObjectName;

/**
 * Tells which mutations a thread may commit that must not wait: a client's completions, and its
 * small writes, of objects that the cache knows. They read no table, and of the segments nothing:
 * or the ends of their range in the last stripe unit, which was written lately. An XOR is none of
 * them, for it reads what it changes, wherever that is. An object may leave the cache in between;
 * that is rare, and costs a look into the tables. Thread-safe.
 */
final class BriefChanges {
  /** A larger write is better off where it keeps nobody else waiting while it is copied. */
  private static final int MOST_BYTES = 64 << 10;

  private final Parts parts;

  BriefChanges(Parts parts) {
    this.parts = parts;
  }

  boolean contains(Mutation mutation) {
    if (parts.segments().keepsWaiting()) {
      return false;
    }
    if (mutation instanceof ObjectWrite write) {
      int lengthBytes = new BufferRun(write.data()).lengthBytes();
      CachedObject known = known(write.name(), write.authority());
      return known != null
          && write.initialAttributes().isEmpty()
          && lengthBytes <= MOST_BYTES
          && (lengthBytes == 0
              || isNearOrWhole(known.record(), write.offsetBytes(), lengthBytes)
                  && hasPages(known, write.offsetBytes(), lengthBytes));
    }
    return mutation instanceof WriteCompletion completion
        && known(completion.name(), completion.authority()) != null;
  }

  /** The object with its pending list; null if memory does not know it, or a manager asks. */
  private CachedObject known(ObjectName name, Authority authority) {
    CachedObject known = authority.manager() ? null : parts.cache().ifPresent(name);
    return known == null || known.pending() == null ? null : known;
  }

  /** True if no block has to be read that may not have been written lately. */
  private static boolean isNearOrWhole(ObjectRecord record, long offsetBytes, int lengthBytes) {
    boolean whole =
        offsetBytes % DataChange.BLOCK_BYTES == 0 && lengthBytes % DataChange.BLOCK_BYTES == 0;
    return whole || offsetBytes >= record.componentBytes() - record.tag().unitBytes();
  }

  private static boolean hasPages(CachedObject known, long offsetBytes, int lengthBytes) {
    long first = ExtentPage.of(offsetBytes / DataChange.BLOCK_BYTES);
    long last = ExtentPage.of((offsetBytes + lengthBytes - 1) / DataChange.BLOCK_BYTES);
    for (long page = first; page <= last; page++) {
      if (known.page(page) == null) {
        return false;
      }
    }
    return true;
  }
}
