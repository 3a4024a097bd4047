package org.weft.osd.store.engine.change;

import java.util.Optional;
import org.weft.osd.store.engine.state.CachedObject;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.mutation.InlineReach;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * Tells which mutations a thread may commit that must not wait: a client's completions, and its
 * small writes, of objects that the cache knows. They read no table, and of the segments nothing
 * but the last stripe unit of a component, where it was written lately: what an XOR changes, or a
 * write begins or ends in, anywhere else may be where only the disk knows it. An object may leave
 * the cache in between; that is rare, and costs a look into the tables. Thread-safe.
 */
public final class InlineCommitPolicy {
  /** A larger write is better off where it keeps no other request waiting while it is copied. */
  private static final int MAX_BYTES = 64 << 10;

  private final StoreState store;

  /** Of mutations of this store. */
  public InlineCommitPolicy(StoreState store) {
    this.store = store;
  }

  /** True if a thread that must not wait may commit the mutation. */
  public boolean contains(Mutation mutation) {
    if (store.segments().keepsWaiting()) {
      return false;
    }
    Optional<InlineReach> reach = mutation.inlineReach();
    return reach.isPresent() && contains(reach.get());
  }

  private boolean contains(InlineReach reach) {
    CachedObject known = known(reach.name(), reach.authority());
    long offsetBytes = reach.offsetBytes();
    int lengthBytes = reach.lengthBytes();
    return known != null
        && hasPages(known, offsetBytes, lengthBytes)
        && (reach.mayReplace() && isWhole(offsetBytes, lengthBytes) || isAtEnd(known, offsetBytes));
  }

  /** The object with its pending list; null if memory does not know it, or a manager asks. */
  private CachedObject known(ObjectName name, Authority authority) {
    CachedObject known = authority.manager() ? null : store.cache().ifPresent(name);
    return known == null || known.pending() == null ? null : known;
  }

  private static boolean isWhole(long offsetBytes, int lengthBytes) {
    return offsetBytes % DataChange.BLOCK_BYTES == 0 && lengthBytes % DataChange.BLOCK_BYTES == 0;
  }

  private static boolean isAtEnd(CachedObject known, long offsetBytes) {
    ObjectRecord record = known.record();
    return offsetBytes >= record.componentBytes() - record.tag().unitBytes();
  }

  /** True if few bytes are written, and it is known where those before them are. */
  private static boolean hasPages(CachedObject known, long offsetBytes, int lengthBytes) {
    if (lengthBytes > MAX_BYTES) {
      return false;
    }
    long first = ExtentPage.of(offsetBytes / DataChange.BLOCK_BYTES);
    long last = ExtentPage.of((offsetBytes + lengthBytes - 1) / DataChange.BLOCK_BYTES);
    for (long page = first; lengthBytes > 0 && page <= last; page++) {
      if (known.page(page) == null) {
        return false;
      }
    }
    return true;
  }
}
