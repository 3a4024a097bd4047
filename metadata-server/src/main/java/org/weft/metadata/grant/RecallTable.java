package org.weft.metadata.grant;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;

/**
 * Grants that wait for ranges of shared files that others own, and the owners that are asked to
 * give them back (P 6.5). First come, first served: no grant gets a range that an earlier one waits
 * for. A recall is repeated until it is obeyed; an owner that does not obey for a whole lease
 * counts as gone.
 *
 * <p>All of it is of this process alone: after a restart, writers that wait ask again. Pure,
 * confined to the volume's thread.
 */
public final class RecallTable {
  /** A grant that has not asked for so long waits no more. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Grants that wait at the same time; others are not queued and have to ask again. */
  static final int MOST_WAITING = 1_000;

  private final GrantTable grants;
  private final long patienceNanos;
  private final TreeMap<ObjectId, Map<Lsn, Waiting>> waiting = new TreeMap<>();
  private int size;

  /** An owner is asked to give back what lies in the range. */
  public record Recall(WriteGrant owner, ByteRange range) {}

  private static final class Waiting {
    private final ByteRange range;
    private final Map<Lsn, Asking> owners = new LinkedHashMap<>();
    private long askedNanos;

    Waiting(ByteRange range) {
      this.range = range;
    }
  }

  /**
   * @param patienceNanos so long an owner may take to give something back
   */
  public RecallTable(GrantTable grants, long patienceNanos) {
    this.grants = grants;
    this.patienceNanos = patienceNanos;
  }

  /**
   * The first grant that waits for some of the range and came before this one; empty if none does.
   */
  public Optional<Lsn> ahead(ObjectId object, Lsn grant, ByteRange range, long nowNanos) {
    refresh(object, nowNanos);
    for (Map.Entry<Lsn, Waiting> each : waiting.getOrDefault(object, Map.of()).entrySet()) {
      if (each.getKey().equals(grant)) {
        return Optional.empty();
      }
      if (each.getValue().range.overlaps(range)) {
        return Optional.of(each.getKey());
      }
    }
    return Optional.empty();
  }

  /** The grant asked for the range and did not get it. */
  public void waits(ObjectId object, Lsn grant, ByteRange range, long nowNanos) {
    Waiting known = waiting.getOrDefault(object, Map.of()).get(grant);
    if (known == null || !known.range.equals(range)) {
      served(object, grant);
      if (size == MOST_WAITING) {
        return;
      }
      known = new Waiting(range);
      waiting.computeIfAbsent(object, key -> new LinkedHashMap<>()).put(grant, known);
      size++;
    }
    known.askedNanos = nowNanos;
    refresh(object, nowNanos);
  }

  /** The grant has what it waited for, or wants something else. */
  public void served(ObjectId object, Lsn grant) {
    Map<Lsn, Waiting> ofObject = waiting.get(object);
    if (ofObject != null) {
      size -= ofObject.remove(grant) == null ? 0 : 1;
      if (ofObject.isEmpty()) {
        waiting.remove(object);
      }
    }
  }

  /** Owners that are to be asked now, for the first time or again. */
  public List<Recall> toSend(long nowNanos) {
    List<Recall> recalls = new ArrayList<>();
    for (ObjectId object : new TreeSet<>(waiting.keySet())) {
      refresh(object, nowNanos);
      for (Waiting each : waiting.getOrDefault(object, Map.of()).values()) {
        each.owners.forEach(
            (owner, asked) -> {
              if (asked.take(nowNanos)) {
                grants.find(owner).ifPresent(held -> recalls.add(new Recall(held, each.range)));
              }
            });
      }
    }
    return recalls;
  }

  /** Owners that have not given back in time what they were asked for, in ascending order. */
  public List<Lsn> overdue(long nowNanos) {
    TreeSet<Lsn> overdue = new TreeSet<>();
    for (ObjectId object : new TreeSet<>(waiting.keySet())) {
      refresh(object, nowNanos);
      for (Waiting each : waiting.getOrDefault(object, Map.of()).values()) {
        each.owners.forEach(
            (owner, asked) -> {
              if (asked.isOverdue(nowNanos, patienceNanos)) {
                overdue.add(owner);
              }
            });
      }
    }
    return List.copyOf(overdue);
  }

  /** No client could reach this manager for a while: no owner is to blame for not giving back. */
  public void restart(long nowNanos) {
    for (Map<Lsn, Waiting> ofObject : waiting.values()) {
      for (Waiting each : ofObject.values()) {
        each.askedNanos = nowNanos;
        each.owners.values().forEach(asked -> asked.restart(nowNanos));
      }
    }
  }

  /** How many grants wait, of all files together. */
  public int size() {
    return size;
  }

  private void refresh(ObjectId object, long nowNanos) {
    Map<Lsn, Waiting> ofObject = waiting.get(object);
    if (ofObject == null) {
      return;
    }
    Iterator<Map.Entry<Lsn, Waiting>> all = ofObject.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Lsn, Waiting> each = all.next();
      boolean gone = grants.find(each.getKey()).filter(grant -> !grant.resolving()).isEmpty();
      if (gone || nowNanos - each.getValue().askedNanos >= WAIT_NANOS) {
        all.remove();
        size--;
      } else {
        refreshOwners(object, each.getKey(), each.getValue(), nowNanos);
      }
    }
    if (ofObject.isEmpty()) {
      waiting.remove(object);
    }
  }

  /**
   * An owner that has obeyed is not asked any more. While the file is being resolved no writer can
   * finish what is under way, so the owners' time begins anew.
   */
  private void refreshOwners(ObjectId object, Lsn grant, Waiting each, long nowNanos) {
    Map<Lsn, Asking> before = new HashMap<>(each.owners);
    boolean resolving = grants.awaitsResolve(object);
    each.owners.clear();
    for (WriteGrant owner : grants.ownersOf(object, each.range, grant)) {
      Asking asked = before.getOrDefault(owner.number(), new Asking(nowNanos));
      if (resolving) {
        asked.restart(nowNanos);
      }
      if (!owner.resolving()) {
        each.owners.put(owner.number(), asked);
      }
    }
  }
}
