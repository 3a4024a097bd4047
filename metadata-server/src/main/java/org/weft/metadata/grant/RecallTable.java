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
import java.util.function.Predicate;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;

/**
 * Grants that wait for ranges of shared files that others own, and the owners that are asked to
 * give them back (P 6.5). First come, first served: no grant gets a range that an earlier one waits
 * for, unless both only want to read there. A grant keeps its place in the line for each thing that
 * it wants. A recall is repeated until it is obeyed; an owner that does not obey for a whole lease
 * counts as gone.
 *
 * <p>All of it is of this process alone: after a restart, writers that wait ask again. Pure,
 * confined to the volume's thread.
 */
public final class RecallTable {
  /** A grant that has not asked for so long waits no more. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Things that are waited for at the same time; others are not queued: to be asked for again. */
  static final int MAX_WAITING = 1_000;

  /** The same of one grant. */
  static final int MAX_OF_GRANT = 16;

  private final GrantTable grants;
  private final long patienceNanos;
  private final TreeMap<ObjectId, Map<Want, Waiting>> waiting = new TreeMap<>();
  private int size;

  /** An owner is asked to give back what lies in the range. */
  public record Recall(WriteGrant owner, ByteRange range) {}

  /**
   * A grant wants to own a range for a use.
   *
   * @param widened its holder asked for less. It is given all of the file or nothing while a
   *     truncation is not finished (P 6.5.79)
   */
  public record Want(Lsn grant, ByteRange range, RangeUse use, boolean widened) {
    private boolean excludes(Want other) {
      return !grant.equals(other.grant) && use.excludes(other.use) && range.overlaps(other.range);
    }
  }

  private static final class Waiting {
    private final Map<Lsn, RepeatedPush> owners = new LinkedHashMap<>();
    private long askedNanos;
  }

  /**
   * @param patienceNanos so long an owner may take to give something back
   */
  public RecallTable(GrantTable grants, long patienceNanos) {
    this.grants = grants;
    this.patienceNanos = patienceNanos;
  }

  /**
   * The first grant that came before this want, and waits for some of its range in a way that
   * excludes it; empty if none does.
   */
  public Optional<Lsn> ahead(ObjectId object, Want want, long nowNanos) {
    refresh(object, nowNanos);
    for (Want each : waiting.getOrDefault(object, Map.of()).keySet()) {
      if (each.equals(want)) {
        return Optional.empty();
      }
      if (each.excludes(want)) {
        return Optional.of(each.grant());
      }
    }
    return Optional.empty();
  }

  /** The grant asked for this and did not get it. */
  public void waits(ObjectId object, Want want, long nowNanos) {
    Map<Want, Waiting> ofObject = waiting.computeIfAbsent(object, key -> new LinkedHashMap<>());
    Waiting known = ofObject.get(want);
    if (known == null && mayWait(ofObject, want.grant())) {
      known = new Waiting();
      ofObject.put(want, known);
      size++;
    }
    if (known != null) {
      known.askedNanos = nowNanos;
    }
    refresh(object, nowNanos);
  }

  private boolean mayWait(Map<Want, Waiting> ofObject, Lsn grant) {
    long ofGrant = ofObject.keySet().stream().filter(each -> each.grant().equals(grant)).count();
    return size < MAX_WAITING && ofGrant < MAX_OF_GRANT;
  }

  /** The grant owns this now, and no longer waits for a part of it. */
  public void served(ObjectId object, Lsn grant, OwnedStripes owned) {
    forget(object, each -> each.grant().equals(grant) && owned.covers(each.range(), each.use()));
  }

  /**
   * A truncation of the file is over. Until then, grants were given all of the file or nothing, and
   * waited for that. They ask anew for what they want. One that wants all of it by itself, to set
   * the length, keeps its place (P 6.5.119).
   */
  public void cutIsOver(ObjectId object) {
    forget(object, Want::widened);
  }

  private void forget(ObjectId object, Predicate<Want> which) {
    Map<Want, Waiting> ofObject = waiting.get(object);
    if (ofObject != null) {
      int before = ofObject.size();
      ofObject.keySet().removeIf(which);
      size -= before - ofObject.size();
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
      waiting
          .getOrDefault(object, Map.of())
          .forEach((want, each) -> addDue(want, each, nowNanos, recalls));
    }
    return recalls;
  }

  private void addDue(Want want, Waiting of, long nowNanos, List<Recall> recalls) {
    of.owners.forEach(
        (owner, asked) -> {
          if (asked.take(nowNanos)) {
            grants.find(owner).ifPresent(held -> recalls.add(new Recall(held, want.range())));
          }
        });
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
    for (Map<Want, Waiting> ofObject : waiting.values()) {
      for (Waiting each : ofObject.values()) {
        each.askedNanos = nowNanos;
        each.owners.values().forEach(asked -> asked.restart(nowNanos));
      }
    }
  }

  /** How many things are waited for, of all files together. */
  public int size() {
    return size;
  }

  private void refresh(ObjectId object, long nowNanos) {
    Map<Want, Waiting> ofObject = waiting.get(object);
    if (ofObject == null) {
      return;
    }
    Iterator<Map.Entry<Want, Waiting>> all = ofObject.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Want, Waiting> each = all.next();
      boolean gone =
          grants.find(each.getKey().grant()).filter(grant -> !grant.resolving()).isEmpty();
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
  private void refreshOwners(ObjectId object, Want want, Waiting each, long nowNanos) {
    Map<Lsn, RepeatedPush> before = new HashMap<>(each.owners);
    boolean resolving = grants.awaitsResolve(object);
    each.owners.clear();
    for (WriteGrant owner : grants.ownersOf(object, want.range(), want.use(), want.grant())) {
      RepeatedPush asked = before.getOrDefault(owner.number(), new RepeatedPush(nowNanos));
      if (resolving) {
        asked.restart(nowNanos);
      }
      if (!owner.resolving()) {
        each.owners.put(owner.number(), asked);
      }
    }
  }
}
