package org.weft.metadata.lock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;

/**
 * Owners that wait for byte-range locks that others hold (P 6.5). An owner that could get its lock
 * is asked to request it again, in the order of arrival. An owner whose wait would close a deadlock
 * is not let wait. No lock is kept free for a waiting owner. An owner that comes meanwhile may get
 * it.
 *
 * <p>All of it is of this process alone. A lost notice, or a restart, costs at most the time after
 * which a client asks again. Pure, confined to the volume's thread.
 */
public final class LockWaits {
  /** An owner that has not asked for so long waits no more. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Locks that are waited for at the same time. Further owners get no notice when a lock is free.
   */
  static final int MAX_WAITING = 10_000;

  /** Locks that one session waits for at the same time. */
  public static final int MAX_OF_SESSION = 1_000;

  /**
   * Comparisons of one pass over the locks that are waited for, and of one search for a deadlock.
   * It may exceed this by the comparisons of one lock.
   */
  static final int MAX_STEPS = 200_000;

  private final TreeMap<ObjectId, Map<Key, Waiting>> byObject = new TreeMap<>();
  private final Map<SessionLockOwner, Set<Waiting>> byOwner = new LinkedHashMap<>();
  private final Map<SessionId, Integer> countOfSession = new HashMap<>();
  private final TreeMap<ObjectId, Freed> freed = new TreeMap<>();
  private boolean freedAnew;
  private long lastTurn;
  private int size;

  /**
   * Less of a file is locked than before.
   *
   * @param range all of that lies in it
   * @param doneTurn waiting locks up to this turn have been checked since
   */
  private record Freed(ByteRange range, long doneTurn) {}

  /** A lock that an owner waits for. */
  private record Key(SessionLockOwner owner, long number) {}

  /** An owner is to be notified that a lock may be free. */
  public record Word(SessionId session, ObjectId object, long waitNumber) {}

  private static final class Waiting {
    private final Key key;
    private final ObjectId object;
    private final ByteRange range;
    private final boolean exclusive;
    private final boolean blocked;
    private final long turn;
    private long askedNanos;

    /** The owner was notified, and has not asked since. */
    private boolean told;

    Waiting(
        long turn, Key key, ObjectId object, ByteRange range, boolean exclusive, boolean blocked) {
      this.turn = turn;
      this.key = key;
      this.object = object;
      this.range = range;
      this.exclusive = exclusive;
      this.blocked = blocked;
    }
  }

  /**
   * The owner asked for a lock, and waits because others are in the way.
   *
   * <p>Past {@value #MAX_WAITING} the owner is not notified, and no deadlock through it is found.
   * Its client asks again by itself.
   *
   * @param blocked it unlocks nothing meanwhile: it counts where deadlocks are looked for
   * @throws WeftException INVALID_ARGUMENT if its session waits for as many as it may
   */
  public void waits(
      ObjectId object,
      SessionLockOwner owner,
      long number,
      ByteRange range,
      boolean exclusive,
      boolean blocked,
      long nowNanos)
      throws WeftException {
    Key key = new Key(owner, number);
    Waiting known = byObject.getOrDefault(object, Map.of()).get(key);
    if (known == null) {
      int ofSession = countOfSession.getOrDefault(owner.session(), 0);
      if (ofSession >= MAX_OF_SESSION) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "session "
                + owner.session()
                + " waits for "
                + MAX_OF_SESSION
                + " locks, as many as one client may; wait for fewer at a time");
      }
      if (size == MAX_WAITING) {
        return;
      }
      countOfSession.put(owner.session(), ofSession + 1);
      known = new Waiting(++lastTurn, key, object, range, exclusive, blocked);
      byObject.computeIfAbsent(object, each -> new LinkedHashMap<>()).put(key, known);
      byOwner.computeIfAbsent(owner, each -> new LinkedHashSet<>()).add(known);
      size++;
    }
    known.askedNanos = nowNanos;
    known.told = false;
  }

  /** The owner has what it waited for under that number. */
  public void granted(ObjectId object, SessionLockOwner owner, long number) {
    // An owner that came after it, and may not share with it, has its lock in the way.
    var unused = remove(object, owner, number);
  }

  /** The owner does not want any more what it waited for under that number. */
  public void cancelled(ObjectId object, SessionLockOwner owner, long number) {
    // It may have been notified before others, and does not take the lock.
    remove(object, owner, number)
        .filter(waiting -> waiting.told)
        .ifPresent(waiting -> freed(object, waiting.range));
  }

  private Optional<Waiting> remove(ObjectId object, SessionLockOwner owner, long number) {
    Map<Key, Waiting> ofObject = byObject.get(object);
    Waiting waiting = ofObject == null ? null : ofObject.remove(new Key(owner, number));
    if (waiting == null) {
      return Optional.empty();
    }
    if (ofObject.isEmpty()) {
      byObject.remove(object);
    }
    forget(waiting);
    return Optional.of(waiting);
  }

  private void forget(Waiting waiting) {
    size--;
    countOfSession.merge(waiting.key.owner().session(), -1, Integer::sum);
    countOfSession.remove(waiting.key.owner().session(), 0);
    Set<Waiting> ofOwner = byOwner.get(waiting.key.owner());
    ofOwner.remove(waiting);
    if (ofOwner.isEmpty()) {
      byOwner.remove(waiting.key.owner());
    }
  }

  /**
   * The owner would wait for itself if it waited for these. The search ends without an answer after
   * {@value #MAX_STEPS} comparisons. Then the owner may wait, for as long as it has patience.
   *
   * @param holders holders of what is in its way
   */
  public boolean isDeadlock(
      LockTable locks, SessionLockOwner owner, List<LockTable.Holding> holders, long nowNanos) {
    Set<SessionLockOwner> seen = new HashSet<>();
    Deque<SessionLockOwner> left = new ArrayDeque<>();
    enqueue(holders, seen, left);
    int steps = 0;
    while (!left.isEmpty()) {
      SessionLockOwner next = left.remove();
      if (next.equals(owner)) {
        return true;
      }
      for (Waiting waiting : byOwner.getOrDefault(next, Set.of())) {
        if (steps >= MAX_STEPS) {
          return false;
        }
        steps += 1 + locks.owners(waiting.object);
        if (waiting.blocked && !isOver(waiting, nowNanos)) {
          enqueue(
              locks.inTheWay(waiting.object, next, waiting.range, waiting.exclusive), seen, left);
        }
      }
    }
    return false;
  }

  private static void enqueue(
      List<LockTable.Holding> holders, Set<SessionLockOwner> seen, Deque<SessionLockOwner> left) {
    for (LockTable.Holding holder : holders) {
      if (seen.add(holder.owner())) {
        left.add(holder.owner());
      }
    }
  }

  private static boolean isOver(Waiting waiting, long nowNanos) {
    return nowNanos - waiting.askedNanos >= WAIT_NANOS;
  }

  /** Less of the file is locked than before, all of it in that range. */
  void freed(ObjectId object, ByteRange range) {
    if (byObject.containsKey(object)) {
      freed.merge(object, new Freed(range, 0), LockWaits::joined);
      freedAnew = true;
    }
  }

  private static Freed joined(Freed first, Freed second) {
    return new Freed(
        new ByteRange(
            Math.min(first.range.from(), second.range.from()),
            Math.max(first.range.to(), second.range.to())),
        0);
  }

  /** An owner may have to be notified, and no pass has begun for it yet. */
  public boolean isAnythingFreed() {
    return freedAnew;
  }

  /**
   * Owners that could be given their locks now, of files that had locks freed. These are the first
   * that came, and all that may share with those before them. An owner that was notified is not
   * notified again before it has asked again. One pass makes about {@value #MAX_STEPS} comparisons;
   * the next one goes on from there.
   */
  public List<Word> toTell(LockTable locks, long nowNanos) {
    freedAnew = false;
    List<Word> words = new ArrayList<>();
    int stepsLeft = MAX_STEPS;
    while (!freed.isEmpty() && stepsLeft > 0) {
      Map.Entry<ObjectId, Freed> next = freed.pollFirstEntry();
      stepsLeft -= tell(locks, next.getKey(), next.getValue(), stepsLeft, nowNanos, words);
    }
    return words;
  }

  /** How many comparisons it took; if there was no room for all of them the file is kept. */
  private int tell(
      LockTable locks,
      ObjectId object,
      Freed what,
      int mostSteps,
      long nowNanos,
      List<Word> words) {
    dropOver(object, nowNanos);
    List<Waiting> told = new ArrayList<>();
    int steps = 0;
    for (Waiting waiting : byObject.getOrDefault(object, Map.of()).values()) {
      if (waiting.told) {
        told.add(waiting);
        continue;
      }
      if (waiting.turn <= what.doneTurn || !waiting.range.overlaps(what.range)) {
        continue;
      }
      if (steps >= mostSteps) {
        freed.put(object, new Freed(what.range, waiting.turn - 1));
        break;
      }
      steps += 1 + told.size() + locks.owners(object);
      SessionLockOwner owner = waiting.key.owner();
      if (!isAfter(told, waiting)
          && locks.isFree(object, owner, waiting.range, waiting.exclusive)) {
        waiting.told = true;
        told.add(waiting);
        words.add(new Word(owner.session(), object, waiting.key.number()));
      }
    }
    return steps;
  }

  private static boolean isAfter(List<Waiting> told, Waiting waiting) {
    for (Waiting other : told) {
      if ((other.exclusive || waiting.exclusive)
          && other.range.overlaps(waiting.range)
          && !other.key.owner().equals(waiting.key.owner())) {
        return true;
      }
    }
    return false;
  }

  private void dropOver(ObjectId object, long nowNanos) {
    Map<Key, Waiting> ofObject = byObject.get(object);
    if (ofObject == null) {
      return;
    }
    Iterator<Waiting> all = ofObject.values().iterator();
    while (all.hasNext()) {
      Waiting waiting = all.next();
      if (isOver(waiting, nowNanos)) {
        all.remove();
        forget(waiting);
      }
    }
    if (ofObject.isEmpty()) {
      byObject.remove(object);
    }
  }

  /** Forgets owners that have not asked for long; to be called now and then. */
  public void tidy(long nowNanos) {
    List.copyOf(byObject.keySet()).forEach(object -> dropOver(object, nowNanos));
  }

  /** How many locks are waited for. */
  public int size() {
    return size;
  }
}
