package org.weft.metadata.reading;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * Read grants (P 6.5): what sessions may rely on without asking, until it is recalled or their read
 * lease is over. No change of an object is executed before all grants of it are gone. The change is
 * then executed again.
 *
 * <p>A recall ends when each holder has said that it dropped the grant, or after {@link
 * #PATIENCE_NANOS}. Only renewals extend a session's read lease, and the answer to each names
 * everything that is being recalled from it. So a session that extended its lease since the recall
 * began has dropped the grant. The lease of any other session has ended, so it does not rely on the
 * grant any more. A session that was not renewed for so long has no grants. Its lease is over, and
 * when it is extended again the session drops everything itself.
 *
 * <p>All of it is of this process alone. A manager that starts knows no grants of the one before.
 * So nothing is changed until each session that may have had some has reclaimed. Else its read
 * lease must be over, which the manager before extended last.
 *
 * <p>Bounded: at most {@link #MAX_OF_SESSION} grants for one session and {@link #MAX} in all; no
 * more are given then. Pure, confined to the volume's thread.
 */
public final class GrantedReads {
  /** How long a session may rely on its grants after it has sent a renewal that was answered. */
  public static final int LEASE_MILLIS = 3_000;

  /** A tenth more than the lease: clocks of two machines differ in speed. */
  public static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS + 300);

  /** Grants of one session. */
  public static final int MAX_OF_SESSION = 100_000;

  /** Grants of all sessions. */
  public static final int MAX = 2_000_000;

  /** What had to be recalled is not granted again for so long: it may be changed again soon. */
  static final long RESTLESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_RESTLESS = 10_000;

  /** How long a session that renews without dropping recalled grants gets no new ones. */
  static final long DISTRUST_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Objects of one message. */
  static final int MAX_IN_WORD = 1_000;

  /**
   * A session is to be asked to drop grants.
   *
   * @param number those up to this one are meant
   */
  public record Word(SessionId session, List<ObjectId> objects, Lsn number) {}

  private final GrantedReadTable table = new GrantedReadTable();

  /** Sessions that may have grants at all. */
  private final Set<SessionId> caching = new HashSet<>();

  /** The sessions among those from before the start that have not reclaimed. */
  private final Set<SessionId> unreclaimed = new HashSet<>();

  /** When each was renewed last; those that never were have no lease. */
  private final Map<SessionId, Long> renewedNanos = new HashMap<>();

  private final ReadRecalls recalls = new ReadRecalls();

  /** Until when each is not granted, in the order of that. */
  private final Map<ObjectId, Long> restless = new LinkedHashMap<>();

  /** Until when each session gets nothing. What it was granted of other objects may hold still. */
  private final Map<SessionId, Long> distrusted = new HashMap<>();

  private Lsn newest = Lsn.ZERO;
  private long graceEndNanos;
  private long releases;

  /** A session was opened; it does not have grants if it does not want them. */
  public void sessionOpened(SessionId session, boolean wantsGrants) {
    if (wantsGrants) {
      caching.add(session);
    }
  }

  /** The session may have grants, or have had some. */
  public boolean isCaching(SessionId session) {
    return caching.contains(session);
  }

  /** Applies the end of a session: its read lease is over, or it has closed it. */
  public void sessionEnded(SessionId session) {
    if (!caching.remove(session)) {
      return;
    }
    reclaimed(session);
    renewedNanos.remove(session);
    distrusted.remove(session);
    table.end(session);
    recalls.of(session).forEach(object -> obeyed(session, object));
  }

  /** A manager starts: its sessions may have grants that it does not know. */
  public void begin(long epoch, long nowNanos) {
    newest = Lsn.of(epoch, 0);
    unreclaimed.addAll(caching);
    graceEndNanos = nowNanos + PATIENCE_NANOS;
  }

  /** The session has dropped what another manager granted it. */
  public void reclaimed(SessionId session) {
    releases += unreclaimed.remove(session) && unreclaimed.isEmpty() ? 1 : 0;
  }

  /** The session can have grants now. */
  public boolean mayHave(SessionId session) {
    return caching.contains(session) && !unreclaimed.contains(session);
  }

  /**
   * A renewal of the session is being answered, which extends its read lease.
   *
   * @return false if the lease was over. The session has none of its grants any more, and must
   *     learn that, since its own clock may have stood still
   */
  public boolean renewed(SessionId session, long nowNanos) {
    boolean isOver = renewedNanos.containsKey(session) && isLapsed(session, nowNanos);
    if (isOver) {
      droppedAll(session, newest);
    }
    renewedNanos.put(session, nowNanos);
    return !isOver;
  }

  private boolean isLapsed(SessionId session, long nowNanos) {
    Long last = renewedNanos.get(session);
    return last == null || nowNanos - last >= PATIENCE_NANOS;
  }

  /** The number of the grants of another answer. */
  public Lsn nextNumber() {
    newest = newest.next();
    return newest;
  }

  /** The number of the answer that granted something last. */
  public Lsn newest() {
    return newest;
  }

  /**
   * Grants the session the reading of an object, or does not.
   *
   * @param number of the answer
   * @return false where it is not to be relied on
   */
  public boolean give(SessionId session, ObjectId object, Lsn number, long nowNanos) {
    if (!mayHave(session) || recalls.contains(object) || isRestless(object, nowNanos)) {
      return false;
    }
    if (isDistrusted(session, nowNanos)) {
      return false;
    }
    boolean room = table.size() < MAX && table.sizeOf(session) < MAX_OF_SESSION;
    if (!room && !table.holds(session, object)) {
      return false;
    }
    table.put(session, object, number.value());
    return true;
  }

  private boolean isDistrusted(SessionId session, long nowNanos) {
    Long until = distrusted.get(session);
    if (until != null && nowNanos - until >= 0) {
      distrusted.remove(session);
      return false;
    }
    return until != null;
  }

  private boolean isRestless(ObjectId object, long nowNanos) {
    Long until = restless.get(object);
    if (until != null && nowNanos - until >= 0) {
      restless.remove(object);
      return false;
    }
    return until != null;
  }

  /** The session relies no more on what it was granted of the object up to the number. */
  public void dropped(SessionId session, ObjectId object, Lsn upTo) {
    table.remove(session, object, upTo.value());
    obeyed(session, object);
  }

  /** The session relies on nothing any more that it was granted up to the number. */
  public void droppedAll(SessionId session, Lsn upTo) {
    table.removeAll(session, upTo.value());
    recalls.of(session).forEach(object -> obeyed(session, object));
  }

  /** What is recalled is not granted meanwhile: a session without the grant does not get it. */
  private void obeyed(SessionId session, ObjectId object) {
    if (!table.holds(session, object) && recalls.obeyed(session, object)) {
      releases++;
    }
  }

  /**
   * Recalls the grants of objects that are to be changed.
   *
   * @return true if no session relies on any of them: they may be changed now
   */
  public boolean recall(Collection<ObjectId> objects, long nowNanos) {
    for (ObjectId object : objects) {
      if (!recalls.contains(object) && table.isHeld(object)) {
        endLapsed(table.holders(object), nowNanos);
        recall(object, nowNanos);
      }
    }
    return !isAwaited(objects, nowNanos);
  }

  private void recall(ObjectId object, long nowNanos) {
    if (table.isHeld(object)) {
      recalls.begin(object, table.holders(object), nowNanos);
      rest(object, nowNanos);
    }
  }

  /** Those of the sessions whose read lease is over rely on nothing any more. */
  private void endLapsed(Collection<SessionId> sessions, long nowNanos) {
    for (SessionId session : sessions) {
      if (isLapsed(session, nowNanos)) {
        droppedAll(session, newest);
      }
    }
  }

  private void rest(ObjectId object, long nowNanos) {
    restless.remove(object);
    restless.put(object, nowNanos + RESTLESS_NANOS);
    if (restless.size() > MAX_RESTLESS) {
      Iterator<ObjectId> eldest = restless.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** A session may still rely on one of the objects. */
  public boolean isAwaited(Collection<ObjectId> objects, long nowNanos) {
    if (objects.isEmpty()) {
      return false;
    }
    boolean grace = !unreclaimed.isEmpty() && nowNanos - graceEndNanos < 0;
    return grace || objects.stream().anyMatch(recalls::contains);
  }

  /** Recalls are over of which no read lease can hold any more. */
  public void expire(long nowNanos) {
    endLapsed(recalls.sessions(), nowNanos);
    recalls
        .endOverdue(nowNanos, PATIENCE_NANOS)
        .forEach(
            (object, holders) -> {
              for (SessionId session : holders) {
                table.remove(session, object, newest.value());
                distrusted.put(session, nowNanos + DISTRUST_NANOS);
              }
              // What waits for the object comes before another grant of it.
              rest(object, nowNanos);
              releases++;
            });
  }

  /** The sessions to be asked now, for the first time or again. Ended recalls expire first. */
  public List<Word> toSend(long nowNanos) {
    expire(nowNanos);
    List<Word> words = new ArrayList<>();
    recalls
        .takeDue(nowNanos)
        .forEach(
            (session, objects) -> {
              for (int from = 0; from < objects.size(); from += MAX_IN_WORD) {
                int to = Math.min(objects.size(), from + MAX_IN_WORD);
                words.add(new Word(session, List.copyOf(objects.subList(from, to)), newest));
              }
            });
    return words;
  }

  /** The recalls of the session, in ascending order; the caller shortens a long one. */
  public List<ObjectId> recalledFrom(SessionId session) {
    return recalls.of(session);
  }

  /** Grows whenever something that was waited for may be changed. */
  public long releases() {
    return releases;
  }

  /** No session relies on a grant, of this manager or of an earlier one. */
  public boolean isIdle() {
    return table.size() == 0 && recalls.size() == 0 && unreclaimed.isEmpty();
  }

  /** Grants that there are. */
  public int size() {
    return table.size();
  }
}
