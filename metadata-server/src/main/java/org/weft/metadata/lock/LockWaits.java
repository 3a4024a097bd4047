package org.weft.metadata.lock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;

/**
 * Who waits for byte-range locks that others hold (P 6.5): whoever could have one is told to ask
 * again, first come, first told; and an owner that would wait for itself, by way of others, is not
 * let wait. Nothing is kept free for those who wait: an owner that comes meanwhile may be given it.
 *
 * <p>All of it is of this process alone. A word that is lost, or a restart, costs no more than the
 * time after which a client asks again by itself. Pure, confined to the volume's thread.
 */
public final class LockWaits {
  /** Whoever has not asked for so long waits no more. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Who wait at the same time; others are not told when something is free. */
  static final int MOST_WAITING = 10_000;

  private final TreeMap<ObjectId, Map<Key, Waiting>> byObject = new TreeMap<>();
  private final Map<LockOwner, Set<Waiting>> byOwner = new LinkedHashMap<>();
  private final TreeSet<ObjectId> freed = new TreeSet<>();
  private int size;

  /** One lock that an owner waits for. */
  private record Key(LockOwner owner, long number) {}

  /** An owner is to be told that a lock may be free. */
  public record Word(SessionId session, ObjectId object, long waitNumber) {}

  private static final class Waiting {
    private final Key key;
    private final ObjectId object;
    private final ByteRange range;
    private final boolean exclusive;
    private final boolean blocked;
    private long askedNanos;

    Waiting(Key key, ObjectId object, ByteRange range, boolean exclusive, boolean blocked) {
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
   * @param blocked it unlocks nothing meanwhile: it counts where deadlocks are looked for
   */
  public void waits(
      ObjectId object,
      LockOwner owner,
      long number,
      ByteRange range,
      boolean exclusive,
      boolean blocked,
      long nowNanos) {
    Key key = new Key(owner, number);
    Waiting known = byObject.getOrDefault(object, Map.of()).get(key);
    if (known == null) {
      if (size == MOST_WAITING) {
        return;
      }
      known = new Waiting(key, object, range, exclusive, blocked);
      byObject.computeIfAbsent(object, each -> new LinkedHashMap<>()).put(key, known);
      byOwner.computeIfAbsent(owner, each -> new LinkedHashSet<>()).add(known);
      size++;
    }
    known.askedNanos = nowNanos;
  }

  /** The owner has what it waited for under that number, or does not want it any more. */
  public void ended(ObjectId object, LockOwner owner, long number) {
    Map<Key, Waiting> ofObject = byObject.get(object);
    Waiting waiting = ofObject == null ? null : ofObject.remove(new Key(owner, number));
    if (waiting == null) {
      return;
    }
    if (ofObject.isEmpty()) {
      byObject.remove(object);
    }
    forget(waiting);
    // It may have been told, and does not take it.
    freed(object);
  }

  private void forget(Waiting waiting) {
    size--;
    Set<Waiting> ofOwner = byOwner.get(waiting.key.owner());
    ofOwner.remove(waiting);
    if (ofOwner.isEmpty()) {
      byOwner.remove(waiting.key.owner());
    }
  }

  /**
   * The owner would wait for itself if it waited for these.
   *
   * @param holders who are in its way
   */
  public boolean isDeadlock(
      LockTable locks, LockOwner owner, List<LockTable.Holding> holders, long nowNanos) {
    Set<LockOwner> seen = new HashSet<>();
    Deque<LockOwner> left = new ArrayDeque<>();
    holders.forEach(holder -> left.add(holder.owner()));
    while (!left.isEmpty()) {
      LockOwner next = left.remove();
      if (next.equals(owner)) {
        return true;
      }
      if (seen.add(next)) {
        for (Waiting waiting : byOwner.getOrDefault(next, Set.of())) {
          if (waiting.blocked && !isOver(waiting, nowNanos)) {
            locks
                .inTheWay(waiting.object, next, waiting.range, waiting.exclusive)
                .forEach(holder -> left.add(holder.owner()));
          }
        }
      }
    }
    return false;
  }

  private static boolean isOver(Waiting waiting, long nowNanos) {
    return nowNanos - waiting.askedNanos >= WAIT_NANOS;
  }

  /** Less of the file is locked than before. */
  void freed(ObjectId object) {
    if (byObject.containsKey(object)) {
      freed.add(object);
    }
  }

  /** Somebody may have to be told something. */
  public boolean isAnythingFreed() {
    return !freed.isEmpty();
  }

  /**
   * Who could be given their locks now, of those whose files had locks freed since this was asked
   * last: the first who came, and whoever may share with those before.
   */
  public List<Word> toTell(LockTable locks, long nowNanos) {
    List<Word> words = new ArrayList<>();
    for (ObjectId object : freed) {
      dropOver(object, nowNanos);
      List<Waiting> told = new ArrayList<>();
      for (Waiting waiting : byObject.getOrDefault(object, Map.of()).values()) {
        boolean afterOthers =
            told.stream()
                .filter(other -> other.range.overlaps(waiting.range))
                .filter(other -> !other.key.owner().equals(waiting.key.owner()))
                .anyMatch(other -> other.exclusive || waiting.exclusive);
        if (!afterOthers
            && locks
                .inTheWay(object, waiting.key.owner(), waiting.range, waiting.exclusive)
                .isEmpty()) {
          told.add(waiting);
          words.add(new Word(waiting.key.owner().session(), object, waiting.key.number()));
        }
      }
    }
    freed.clear();
    return words;
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

  /** Forgets whoever has not asked for long; to be called now and then. */
  public void tidy(long nowNanos) {
    List.copyOf(byObject.keySet()).forEach(object -> dropOver(object, nowNanos));
  }

  /** Who wait. */
  public int size() {
    return size;
  }
}
