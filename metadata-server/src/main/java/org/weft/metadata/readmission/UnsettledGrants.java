package org.weft.metadata.readmission;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Grants that have ended, until every OSD of their map has made a later checkpoint (P 5.9). Which
 * there are comes from the journal; which OSDs of one are done is only remembered, and found out
 * again by the next manager. Pure, confined to the volume's thread.
 */
public final class UnsettledGrants {
  private record Entry(UnsettledGrant grant, SortedSet<OsdId> waiting) {}

  private final TreeMap<Lsn, Entry> entries = new TreeMap<>();
  private final Map<ObjectId, SortedSet<Lsn>> byObject = new HashMap<>();

  /** Applies that a grant has ended; said again it changes nothing. */
  public void add(UnsettledGrant grant) {
    SortedSet<OsdId> waiting = new TreeSet<>();
    for (int component = 0; component < grant.map().components().size(); component++) {
      if (!grant.map().isMissing(component)) {
        waiting.add(grant.map().osdOf(component));
      }
    }
    entries.putIfAbsent(grant.number(), new Entry(grant, waiting));
    byObject.computeIfAbsent(grant.object(), object -> new TreeSet<>()).add(grant.number());
  }

  /** Applies what was decided of OSDs that lost power; one that is not here is no error. */
  public void suspect(Lsn number, SuspectOsds osds) {
    entries.computeIfPresent(
        number, (key, entry) -> new Entry(entry.grant().suspecting(osds), entry.waiting()));
  }

  /** What is not settled of one object, oldest first. */
  public List<UnsettledGrant> of(ObjectId object) {
    return byObject.getOrDefault(object, new TreeSet<>()).stream()
        .map(number -> entries.get(number).grant())
        .toList();
  }

  /** Applies that a grant is settled; one that is not here is no error. */
  public void remove(Lsn number) {
    Entry entry = entries.remove(number);
    if (entry != null) {
      SortedSet<Lsn> ofObject = byObject.get(entry.grant().object());
      ofObject.remove(number);
      if (ofObject.isEmpty()) {
        byObject.remove(entry.grant().object());
      }
    }
  }

  /** Applies that an object is gone: nothing of it can be lost any more. */
  public void objectRemoved(ObjectId object) {
    SortedSet<Lsn> numbers = byObject.remove(object);
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
      entry.waiting().remove(osd);
    }
  }

  /** OSDs that some grant waits for. */
  public SortedSet<OsdId> osds() {
    SortedSet<OsdId> osds = new TreeSet<>();
    entries.values().forEach(entry -> osds.addAll(entry.waiting()));
    return osds;
  }

  /** Grants that wait for the OSD, oldest first. */
  public List<UnsettledGrant> waitingFor(OsdId osd) {
    List<UnsettledGrant> waiting = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.waiting().contains(osd)) {
        waiting.add(entry.grant());
      }
    }
    return waiting;
  }

  /**
   * Grants that wait for nobody any more, oldest first. Where OSDs lost power and are taken as they
   * are, a grant stays until they were compared with the others: by what was written under it, too.
   */
  public List<Lsn> settled(int max) {
    List<Lsn> settled = new ArrayList<>();
    for (Entry entry : entries.values()) {
      boolean isCompared = entry.grant().suspects().suspects().isEmpty();
      if (entry.waiting().isEmpty() && isCompared && settled.size() < max) {
        settled.add(entry.grant().number());
      }
    }
    return settled;
  }

  /** All of them, oldest first. */
  public Collection<UnsettledGrant> all() {
    return entries.values().stream().map(Entry::grant).toList();
  }

  public int size() {
    return entries.size();
  }
}
