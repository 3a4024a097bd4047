package org.weft.metadata.readmission;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * Grants that have ended, until every OSD of their map has made a later checkpoint (P 5.9). The
 * grants come from the journal. Which of its OSDs are done is only remembered, and the next manager
 * finds it again. Pure, confined to the volume's thread.
 */
public final class UnsettledGrants {
  /** A grant, with its place among all, in the order in which they came. */
  private static final class Entry {
    private final UnsettledGrant grant;
    private final long place;

    /** OSDs that are done with this one before their turn; null: none is. */
    private Set<OsdId> done;

    Entry(UnsettledGrant grant, long place, Set<OsdId> done) {
      this.grant = grant;
      this.place = place;
      this.done = done;
    }
  }

  private final TreeMap<Lsn, Entry> entries = new TreeMap<>();
  private final Map<ObjectId, SortedSet<Lsn>> byObject = new HashMap<>();

  /** Those of which anything was decided: hardly ever any, where a file may have had hundreds. */
  private final Map<ObjectId, SortedSet<Lsn>> suspectingByObject = new HashMap<>();

  /** For each OSD the place up to which everything is durable there. */
  private final Map<OsdId, Long> durableUpTo = new HashMap<>();

  private long lastPlace;

  /** Applies that a grant has ended; said again it changes nothing. */
  public void add(UnsettledGrant grant) {
    Entry entry =
        entries.computeIfAbsent(grant.number(), number -> new Entry(grant, ++lastPlace, null));
    byObject.computeIfAbsent(grant.object(), object -> new TreeSet<>()).add(grant.number());
    noteSuspects(entry.grant);
  }

  private void noteSuspects(UnsettledGrant grant) {
    if (grant.suspects().isEmpty()) {
      remove(suspectingByObject, grant);
    } else {
      suspectingByObject
          .computeIfAbsent(grant.object(), object -> new TreeSet<>())
          .add(grant.number());
    }
  }

  private static void remove(Map<ObjectId, SortedSet<Lsn>> from, UnsettledGrant grant) {
    SortedSet<Lsn> ofObject = from.get(grant.object());
    if (ofObject != null && ofObject.remove(grant.number()) && ofObject.isEmpty()) {
      from.remove(grant.object());
    }
  }

  private boolean waits(Entry entry, int component) {
    StorageMap map = entry.grant.map();
    OsdId osd = map.osdOf(component);
    return !map.isMissing(component)
        && durableUpTo.getOrDefault(osd, 0L) < entry.place
        && (entry.done == null || !entry.done.contains(osd));
  }

  private boolean waitsForSome(Entry entry) {
    for (int component = 0; component < entry.grant.map().components().size(); component++) {
      if (waits(entry, component)) {
        return true;
      }
    }
    return false;
  }

  /** Applies what was decided of OSDs that lost power; one that is not here is no error. */
  public void suspect(Lsn number, SuspectOsds osds) {
    Entry now =
        entries.computeIfPresent(
            number,
            (key, entry) -> new Entry(entry.grant.suspecting(osds), entry.place, entry.done));
    if (now != null) {
      noteSuspects(now.grant);
    }
  }

  /** What was decided of OSDs that lost power under any of one object's; costs nothing if none. */
  public SuspectOsds suspectsOf(ObjectId object) {
    SuspectOsds all = SuspectOsds.NONE;
    for (Lsn number : suspectingByObject.getOrDefault(object, Collections.emptySortedSet())) {
      all = all.and(entries.get(number).grant.suspects());
    }
    return all;
  }

  /** What is not settled of one object, oldest first. */
  public List<UnsettledGrant> of(ObjectId object) {
    return byObject.getOrDefault(object, new TreeSet<>()).stream()
        .map(number -> entries.get(number).grant)
        .toList();
  }

  /** Applies that a grant is settled; one that is not here is no error. */
  public void remove(Lsn number) {
    Entry entry = entries.remove(number);
    if (entry != null) {
      remove(byObject, entry.grant);
      remove(suspectingByObject, entry.grant);
    }
  }

  /** Applies that an object is gone: it can lose no writes any more. */
  public void objectRemoved(ObjectId object) {
    SortedSet<Lsn> numbers = byObject.remove(object);
    suspectingByObject.remove(object);
    if (numbers != null) {
      numbers.forEach(entries::remove);
    }
  }

  /** True if what was last written to the object may not be durable everywhere. */
  public boolean isUnsettled(ObjectId object) {
    return byObject.containsKey(object);
  }

  /** What was written under the grant is durable on the OSD, or given up there. */
  public void settledOn(OsdId osd, Lsn number) {
    Entry entry = entries.get(number);
    if (entry != null) {
      if (entry.done == null) {
        entry.done = new HashSet<>();
      }
      entry.done.add(osd);
    }
  }

  /** The place of the grant that ended last; to be said to {@link #durableUpTo} later. */
  public long lastPlace() {
    return lastPlace;
  }

  /** What was written under all grants that came up to a place is durable on the OSD. */
  public void durableUpTo(OsdId osd, long place) {
    durableUpTo.merge(osd, place, Math::max);
  }

  /** OSDs that some grant waits for. */
  public SortedSet<OsdId> osds() {
    SortedSet<OsdId> osds = new TreeSet<>();
    for (Entry entry : entries.values()) {
      for (int component = 0; component < entry.grant.map().components().size(); component++) {
        if (waits(entry, component)) {
          osds.add(entry.grant.map().osdOf(component));
        }
      }
    }
    return osds;
  }

  /** OSDs that the grant waits for; none if it is not here. */
  public SortedSet<OsdId> awaitedBy(Lsn number) {
    SortedSet<OsdId> awaited = new TreeSet<>();
    Entry entry = entries.get(number);
    if (entry != null) {
      StorageMap map = entry.grant.map();
      for (int component = 0; component < map.components().size(); component++) {
        if (waits(entry, component)) {
          awaited.add(map.osdOf(component));
        }
      }
    }
    return awaited;
  }

  /** Grants that wait for the OSD, oldest first. */
  public List<UnsettledGrant> waitingFor(OsdId osd) {
    List<UnsettledGrant> waiting = new ArrayList<>();
    for (Entry entry : entries.values()) {
      int component = entry.grant.map().components().indexOf(osd);
      if (component >= 0 && waits(entry, component)) {
        waiting.add(entry.grant);
      }
    }
    return waiting;
  }

  /**
   * Grants that wait for no OSD any more, oldest first. Where OSDs lost power and are taken as they
   * are, a grant stays until they were compared with the others. The comparison covers what was
   * written under this grant, too.
   */
  public List<Lsn> settled() {
    List<Lsn> settled = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.grant.suspects().suspects().isEmpty() && !waitsForSome(entry)) {
        settled.add(entry.grant.number());
      }
    }
    return settled;
  }

  /** All of them, oldest first. */
  public Collection<UnsettledGrant> all() {
    return entries.values().stream().map(entry -> entry.grant).toList();
  }

  public int size() {
    return entries.size();
  }
}
