package org.weft.osd.store.engine;

import org.weft.osd.store.Authority;
import org.weft.osd.store.Mutation;
import org.weft.osd.store.ObjectWrite;
import org.weft.osd.store.WriteCompletion;
import org.weft.osd.store.XorApplication;
import org.weft.osd.store.XorExchange;
import org.weft.osd.store.XorWrite;
import org.weft.osd.store.format.ExtentPage;
import org.weft.protocol.id.ObjectName;

/**
 * Tells which mutations a thread may commit that must not wait: a client's small writes to what the
 * object cache knows. They read no table, and of the segments at most the ends of their range,
 * which was written lately. An object may leave the cache in between; that is rare, and costs a
 * look into the tables. Thread-safe.
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
      return write.initialAttributes().isEmpty()
          && knows(
              write.name(),
              write.authority(),
              write.offsetBytes(),
              new BufferRun(write.data()).lengthBytes());
    } else if (mutation instanceof XorExchange exchange) {
      return knows(exchange.write());
    } else if (mutation instanceof XorApplication xor) {
      return knows(xor.write());
    } else if (mutation instanceof WriteCompletion completion) {
      return knows(completion.name(), completion.authority(), 0, 0);
    }
    return false;
  }

  private boolean knows(XorWrite write) {
    int lengthBytes = new BufferRun(write.data()).lengthBytes();
    return knows(write.name(), write.authority(), write.offsetBytes(), lengthBytes);
  }

  private boolean knows(ObjectName name, Authority authority, long offsetBytes, int lengthBytes) {
    if (authority.manager() || lengthBytes > MOST_BYTES) {
      return false;
    }
    CachedObject known = parts.cache().ifPresent(name);
    if (known == null || known.pending() == null) {
      return false;
    }
    long blockBytes = DataChange.BLOCK_BYTES;
    long first = ExtentPage.of(offsetBytes / blockBytes);
    long last = ExtentPage.of((offsetBytes + Math.max(1, lengthBytes) - 1) / blockBytes);
    for (long page = first; lengthBytes > 0 && page <= last; page++) {
      if (known.page(page) == null) {
        return false;
      }
    }
    return true;
  }
}
