package org.weft.metadata.reading;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.SessionId;

/**
 * Read grants of one object that are to be dropped, because it is to be changed. Confined to the
 * volume's thread.
 */
final class ReadRecall {
  private final long sinceNanos;

  /** In an order that is the same each time. */
  private final SortedSet<SessionId> holders;

  ReadRecall(Collection<SessionId> holders, long nowNanos) {
    this.sinceNanos = nowNanos;
    this.holders = new TreeSet<>(holders);
  }

  /** Those that have not obeyed. */
  SortedSet<SessionId> holders() {
    return Collections.unmodifiableSortedSet(holders);
  }

  boolean concerns(SessionId session) {
    return holders.contains(session);
  }

  /**
   * The session holds no grant of the object any more.
   *
   * @return true if none does now
   */
  boolean obeyed(SessionId session) {
    holders.remove(session);
    return holders.isEmpty();
  }

  /** It began so long ago. */
  boolean isOver(long nowNanos, long patienceNanos) {
    return nowNanos - sinceNanos >= patienceNanos;
  }
}
