package org.weft.metadata.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LockEffect;
import org.weft.metadata.journal.LockKeeping;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;

/**
 * The locks of one volume on bytes of files, and on ways to open them (P 6.4, 6.5a). They come from
 * the journal, and end with their session unless that had them kept. Pure, confined to the volume's
 * thread.
 */
public final class LockTable {
  /** Locks that one owner may have on one file: they stand in one record. */
  public static final int MAX_LOCKS_OF_OWNER = 1_000;

  /** Locks on one file. */
  public static final int MAX_LOCKS_OF_FILE = 10_000;

  /** Locks of one session. */
  public static final int MAX_LOCKS_OF_SESSION = 100_000;

  /** Locks of all sessions. */
  public static final int MAX_LOCKS = 500_000;

  private final TreeMap<ObjectId, TreeMap<SessionLockOwner, HeldLocks>> byObject = new TreeMap<>();
  private final Map<ObjectId, Integer> countOfObject = new HashMap<>();
  private final TreeMap<SessionId, TreeMap<ObjectId, TreeSet<SessionLockOwner>>> bySession =
      new TreeMap<>();
  private final Map<SessionId, Integer> countOfSession = new HashMap<>();
  private final TreeMap<SessionId, KeptLocks> kept = new TreeMap<>();
  private final Map<SessionId, Long> keptUntilNanos = new HashMap<>();
  private final BiConsumer<ObjectId, ByteRange> freed;
  private int count;

  /** A range that an owner has locked. */
  public record Holding(SessionLockOwner owner, HeldLocks.Lock lock) {}

  /**
   * @param freed receives each file of which less is locked than before, and between which bytes
   */
  public LockTable(BiConsumer<ObjectId, ByteRange> freed) {
    this.freed = freed;
  }

  /** What the owner has locked of the file. */
  public HeldLocks of(ObjectId object, SessionLockOwner owner) {
    return ofObject(object).getOrDefault(owner, HeldLocks.NONE);
  }

  private SortedMap<SessionLockOwner, HeldLocks> ofObject(ObjectId object) {
    TreeMap<SessionLockOwner, HeldLocks> found = byObject.get(object);
    return found == null ? new TreeMap<>() : found;
  }

  /** For each other owner that is in the way of such a lock: the first of its locks that is. */
  public List<Holding> inTheWay(
      ObjectId object, SessionLockOwner owner, ByteRange range, boolean exclusive) {
    List<Holding> found = new ArrayList<>();
    ofObject(object)
        .forEach(
            (other, held) -> {
              if (other.isRival(owner)) {
                held.inTheWayOf(range, exclusive)
                    .ifPresent(lock -> found.add(new Holding(other, lock)));
              }
            });
    return found;
  }

  /** No other owner is in the way of such a lock. */
  boolean isFree(ObjectId object, SessionLockOwner owner, ByteRange range, boolean exclusive) {
    TreeMap<SessionLockOwner, HeldLocks> found = byObject.get(object);
    if (found == null) {
      return true;
    }
    for (Map.Entry<SessionLockOwner, HeldLocks> each : found.entrySet()) {
      if (each.getKey().isRival(owner)
          && each.getValue().inTheWayOf(range, exclusive).isPresent()) {
        return false;
      }
    }
    return true;
  }

  /** How many owners have locked something of the file. */
  int owners(ObjectId object) {
    TreeMap<SessionLockOwner, HeldLocks> found = byObject.get(object);
    return found == null ? 0 : found.size();
  }

  /** All bytes that are locked of a file, by owner and in ascending order. */
  public List<Holding> all(ObjectId object) {
    List<Holding> all = new ArrayList<>();
    ofObject(object)
        .forEach(
            (owner, held) -> {
              if (owner.space() == LockSpace.BYTES) {
                held.all().forEach(lock -> all.add(new Holding(owner, lock)));
              }
            });
    return all;
  }

  /**
   * The owner may hold this of the file in the place of what it holds.
   *
   * @throws WeftException INVALID_ARGUMENT or OVERLOADED, naming the bound
   */
  public void requireRoom(ObjectId object, SessionLockOwner owner, HeldLocks wanted)
      throws WeftException {
    requireRoom(object, Map.of(owner, wanted));
  }

  /**
   * Owners of different sessions may hold these of the file in the place of what they hold.
   *
   * @throws WeftException as the other one
   */
  public void requireRoom(ObjectId object, Map<SessionLockOwner, HeldLocks> wanted)
      throws WeftException {
    int more = 0;
    for (Map.Entry<SessionLockOwner, HeldLocks> each : wanted.entrySet()) {
      int ofOwner = each.getValue().size() - of(object, each.getKey()).size();
      requireRoom(object, each.getKey(), each.getValue().size(), ofOwner);
      more += ofOwner;
    }
    if (more <= 0) {
      return;
    }
    if (countOfObject.getOrDefault(object, 0) + more > MAX_LOCKS_OF_FILE) {
      throw full(
          ErrorCode.OVERLOADED,
          "object " + object + " has " + MAX_LOCKS_OF_FILE + " locks",
          "one file may have");
    }
    if (count + more > MAX_LOCKS) {
      throw full(
          ErrorCode.OVERLOADED, "the volume has " + MAX_LOCKS + " locks", "its manager takes");
    }
  }

  private void requireRoom(ObjectId object, SessionLockOwner owner, int wanted, int more)
      throws WeftException {
    if (more > 0 && wanted > MAX_LOCKS_OF_OWNER) {
      throw full(
          ErrorCode.INVALID_ARGUMENT,
          "the owner has " + MAX_LOCKS_OF_OWNER + " locks on object " + object,
          "one owner may have on one file");
    }
    if (more > 0 && countOfSession.getOrDefault(owner.session(), 0) + more > MAX_LOCKS_OF_SESSION) {
      throw full(
          ErrorCode.INVALID_ARGUMENT,
          "session " + owner.session() + " has " + MAX_LOCKS_OF_SESSION + " locks",
          "one client may have");
    }
  }

  private static WeftException full(ErrorCode code, String has, String bound) {
    return new WeftException(code, has + ", as many as " + bound + "; unlock some");
  }

  /** The session has locked something. */
  public boolean isHolder(SessionId session) {
    return bySession.containsKey(session);
  }

  /** What is known of a session that has ended and whose locks are kept. */
  public Optional<KeptLocks> kept(SessionId session) {
    return Optional.ofNullable(kept.get(session));
  }

  /** The same owner in sessions that have ended, of which a session of that user may take over. */
  public SortedSet<SessionLockOwner> predecessors(
      ObjectId object, SessionLockOwner owner, String user, LockKeeping keeping) {
    return ofObject(object).keySet().stream()
        .filter(owner::isSame)
        .filter(
            other -> kept(other.session()).filter(each -> each.isFor(user, keeping)).isPresent())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The same owner in other sessions, be they over or not. */
  public List<SessionLockOwner> sameElsewhere(ObjectId object, SessionLockOwner owner) {
    return ofObject(object).keySet().stream()
        .filter(other -> other.isSame(owner) && !other.equals(owner))
        .toList();
  }

  /** Sessions whose locks have been kept for long enough, in ascending order. */
  public List<SessionId> keptTooLong(long nowNanos) {
    return kept.keySet().stream().filter(session -> isKeptTooLong(session, nowNanos)).toList();
  }

  /** The session's locks have been kept for long enough. */
  public boolean isKeptTooLong(SessionId session, long nowNanos) {
    Long untilNanos = keptUntilNanos.get(session);
    return untilNanos != null && nowNanos - untilNanos >= 0;
  }

  /** No client could reach this manager for a while: successors get their whole time. */
  public void restart(long nowNanos) {
    kept.forEach((session, locks) -> keptUntilNanos.put(session, end(locks, nowNanos)));
  }

  private static long end(KeptLocks locks, long nowNanos) {
    return nowNanos + TimeUnit.MILLISECONDS.toNanos(locks.keeping().millis());
  }

  /** How many ranges are locked. */
  public int size() {
    return count;
  }

  /** Applies what a record says. */
  public void apply(LiveEffect.OfLocks effect, long nowNanos) {
    if (effect instanceof LockEffect.LocksHeld held) {
      put(
          held.object(),
          new SessionLockOwner(held.session(), held.space(), held.owner()),
          new HeldLocks(held.shared(), held.exclusive()));
    } else if (effect instanceof LockEffect.LocksKept keeping) {
      KeptLocks locks = new KeptLocks(keeping.user(), keeping.keeping(), keeping.clientName());
      kept.put(keeping.session(), locks);
      keptUntilNanos.put(keeping.session(), end(locks, nowNanos));
    } else if (effect instanceof LockEffect.LocksDropped dropped) {
      drop(dropped.session());
    } else if (effect instanceof LockEffect.FileUnlocked unlocked) {
      List.copyOf(ofObject(unlocked.object()).keySet())
          .forEach(owner -> put(unlocked.object(), owner, HeldLocks.NONE));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  /** Applies the end of a session. */
  public void sessionEnded(SessionId session) {
    if (!kept.containsKey(session)) {
      drop(session);
    }
  }

  private void drop(SessionId session) {
    Map<ObjectId, TreeSet<SessionLockOwner>> ofSession =
        bySession.getOrDefault(session, new TreeMap<>());
    for (ObjectId object : List.copyOf(ofSession.keySet())) {
      for (SessionLockOwner owner : List.copyOf(ofSession.getOrDefault(object, new TreeSet<>()))) {
        put(object, owner, HeldLocks.NONE);
      }
    }
    forget(session);
  }

  private void forget(SessionId session) {
    kept.remove(session);
    keptUntilNanos.remove(session);
  }

  private void put(ObjectId object, SessionLockOwner owner, HeldLocks held) {
    HeldLocks before = of(object, owner);
    int more = held.size() - before.size();
    if (held.isEmpty()) {
      remove(object, owner);
    } else {
      byObject.computeIfAbsent(object, each -> new TreeMap<>()).put(owner, held);
      bySession
          .computeIfAbsent(owner.session(), each -> new TreeMap<>())
          .computeIfAbsent(object, each -> new TreeSet<>())
          .add(owner);
    }
    count += more;
    add(countOfObject, object, more);
    add(countOfSession, owner.session(), more);
    before.freedBy(held).ifPresent(range -> freed.accept(object, range));
  }

  private void remove(ObjectId object, SessionLockOwner owner) {
    TreeMap<SessionLockOwner, HeldLocks> ofObject = byObject.get(object);
    if (ofObject == null || ofObject.remove(owner) == null) {
      return;
    }
    if (ofObject.isEmpty()) {
      byObject.remove(object);
    }
    TreeMap<ObjectId, TreeSet<SessionLockOwner>> ofSession = bySession.get(owner.session());
    TreeSet<SessionLockOwner> owners = ofSession.get(object);
    owners.remove(owner);
    if (owners.isEmpty()) {
      ofSession.remove(object);
    }
    if (ofSession.isEmpty()) {
      bySession.remove(owner.session());
      forget(owner.session());
    }
  }

  private static <K> void add(Map<K, Integer> counts, K key, int more) {
    counts.merge(key, more, Integer::sum);
    counts.remove(key, 0);
  }

  /** All of it, as effects that make it again when applied to nothing. */
  public List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>();
    kept.forEach(
        (session, locks) ->
            effects.add(
                new LockEffect.LocksKept(
                    session, locks.user(), locks.keeping(), locks.clientName())));
    byObject.forEach(
        (object, ofObject) ->
            ofObject.forEach((owner, held) -> effects.add(owner.holds(object, held))));
    return effects;
  }
}
