package org.weft.metadata.reading;

import java.util.Collection;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.grant.Asking;
import org.weft.protocol.id.SessionId;

/**
 * Read grants of one object that are to be dropped, because it is to be changed. Who has them is
 * told again and again; confined to the volume's thread.
 */
final class ReadRecall {
  private final long sinceNanos;
  private final TreeMap<SessionId, Asking> holders = new TreeMap<>();

  ReadRecall(Collection<SessionId> holders, long nowNanos) {
    this.sinceNanos = nowNanos;
    // In an order that is the same each time.
    new TreeSet<>(holders).forEach(each -> this.holders.put(each, new Asking(nowNanos)));
  }

  /** Those that have not obeyed. */
  Collection<SessionId> holders() {
    return holders.keySet();
  }

  boolean concerns(SessionId session) {
    return holders.containsKey(session);
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

  /** True if the session is to be told now: it counts as told. */
  boolean take(SessionId session, long nowNanos) {
    return holders.get(session).take(nowNanos);
  }

  /** It began so long ago. */
  boolean isOver(long nowNanos, long patienceNanos) {
    return nowNanos - sinceNanos >= patienceNanos;
  }
}
