package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * What the journal knows of repairs (P 6.4, 6.8): components that are missing, those that are being
 * written anew, and OSDs that hold nothing any more. It also knows the components that have moved
 * away and are not removed yet. Live state, changed by effects alone. Pure, confined to the
 * volume's thread.
 */
public final class RepairTables {
  private final RepairQueue missing = new RepairQueue();
  private final RebuildTable rebuilds = new RebuildTable();
  private final SortedMap<OsdId, Long> cleared = new TreeMap<>();
  private final SortedMap<ObjectId, SortedSet<OsdId>> left = new TreeMap<>();

  /** Components that wait to be rebuilt. */
  public RepairQueue missing() {
    return missing;
  }

  /** Components that are being written anew. */
  public RebuildTable rebuilds() {
    return rebuilds;
  }

  /**
   * OSDs that no map named any more when they were removed or drained. Each has the number of the
   * drain for which that was found; 0: it was removed without being drained.
   */
  public SortedMap<OsdId, Long> cleared() {
    return Collections.unmodifiableSortedMap(cleared);
  }

  /** OSDs that serve an object's component of before by maps of before, ascending. */
  public SortedSet<OsdId> leftOn(ObjectId object) {
    return Collections.unmodifiableSortedSet(
        left.getOrDefault(object, Collections.emptySortedSet()));
  }

  /** Applies an effect; said again it changes nothing. */
  public void apply(LiveEffect.OfRepairs effect) {
    if (effect instanceof LiveEffect.RepairAdded added) {
      missing.add(new MissingComponent(added.object(), added.osd(), added.component()));
    } else if (effect instanceof LiveEffect.RepairRemoved removed) {
      missing.remove(new MissingComponent(removed.object(), removed.osd(), removed.component()));
    } else if (effect instanceof LiveEffect.RebuildBegun begun) {
      rebuilds.begin(
          new Rebuild(
              begun.object(),
              begun.component(),
              begun.target(),
              begun.number(),
              begun.generation(),
              begun.moves(),
              begun.bytes(),
              begun.inPlace(),
              begun.balances()));
    } else if (effect instanceof LiveEffect.RebuildEnded ended) {
      rebuilds.end(ended.object());
    } else if (effect instanceof LiveEffect.OsdStanding standing) {
      if (standing.cleared()) {
        cleared.put(standing.osd(), standing.drain());
      } else {
        cleared.remove(standing.osd());
      }
    } else if (effect instanceof LiveEffect.ComponentLeft moved) {
      left.computeIfAbsent(moved.object(), object -> new TreeSet<>()).add(moved.osd());
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  /** Applies that the OSD has removed its outdated part of the object. */
  public void apply(LiveEffect.LaggingCleared copy) {
    SortedSet<OsdId> osds = left.get(copy.object());
    if (osds != null && osds.remove(copy.osd()) && osds.isEmpty()) {
      left.remove(copy.object());
    }
  }

  /** All of it, as effects that make it again. */
  public List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>();
    for (MissingComponent each : missing.all()) {
      effects.add(new LiveEffect.RepairAdded(each.object(), each.osd(), each.component()));
    }
    for (Rebuild each : rebuilds.all()) {
      effects.add(
          new LiveEffect.RebuildBegun(
              each.object(),
              each.component(),
              each.target(),
              each.number(),
              each.generation(),
              each.moves(),
              each.bytes(),
              each.inPlace(),
              each.balances()));
    }
    cleared.forEach((osd, drain) -> effects.add(new LiveEffect.OsdStanding(osd, true, drain)));
    left.forEach(
        (object, osds) ->
            osds.forEach(osd -> effects.add(new LiveEffect.ComponentLeft(object, osd))));
    return effects;
  }
}
