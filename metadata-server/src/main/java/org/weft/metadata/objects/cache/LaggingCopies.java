package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Copies of metadata that missed something while their OSD was down: live state, changed by effects
 * alone. It also knows, without the journal, which of them are being caught up. These get flushes
 * again, but are not read before they are cleared.
 */
public final class LaggingCopies {
  /**
   * A copy, and the LSN of the record that says so; {@link #NOT_JOURNALLED} if there is none yet.
   */
  public record Lag(LaggingAdded effect, Lsn since) {
    /** The record that says so is among those that are on disk. */
    public boolean isDurable(Lsn durable) {
      return since.compareTo(durable) <= 0;
    }
  }

  /** Larger than every LSN. */
  static final Lsn NOT_JOURNALLED = new Lsn(-1L);

  private final SortedMap<OsdId, SortedMap<ObjectId, Lag>> byOsd = new TreeMap<>();
  private final SortedMap<OsdId, SortedSet<ObjectId>> catchingUp = new TreeMap<>();
  private final SortedMap<OsdId, Integer> removals = new TreeMap<>();
  private final SortedMap<OsdId, Integer> rebuilt = new TreeMap<>();
  private int size;
  private Lsn lastAdded = Lsn.ZERO;

  /** LSN of the newest record by which a copy lags. */
  public Lsn lastAdded() {
    return lastAdded;
  }

  void apply(LiveEffect effect, Lsn lsn) {
    if (effect instanceof LaggingAdded added) {
      SortedMap<ObjectId, Lag> lags = byOsd.computeIfAbsent(added.osd(), osd -> new TreeMap<>());
      Lag previous = lags.get(added.object());
      Lag next = new Lag(stronger(previous, added), lsn);
      lags.put(added.object(), next);
      count(added.osd(), previous, next);
      size += previous == null ? 1 : 0;
      stopCatchingUp(added.osd(), added.object());
      lastAdded = lsn.equals(NOT_JOURNALLED) ? lastAdded : lsn;
    } else if (effect instanceof LaggingCleared cleared) {
      SortedMap<ObjectId, Lag> lags = byOsd.getOrDefault(cleared.osd(), new TreeMap<>());
      Lag previous = lags.remove(cleared.object());
      count(cleared.osd(), previous, null);
      size -= previous == null ? 0 : 1;
      if (lags.isEmpty()) {
        byOsd.remove(cleared.osd());
      }
      stopCatchingUp(cleared.osd(), cleared.object());
    }
  }

  /**
   * A copy that is to be removed is not refreshed any more, whatever else it misses. The object is
   * gone, or its component on that OSD was given up.
   */
  private static LaggingAdded stronger(Lag previous, LaggingAdded added) {
    boolean removed = previous != null && previous.effect().kind() == LaggingKind.REMOVE;
    return removed && added.kind() == LaggingKind.REFRESH ? previous.effect() : added;
  }

  /** The copy must be neither read nor flushed; the record that says so will follow. */
  public Lag suspect(LaggingAdded effect) {
    apply(effect, NOT_JOURNALLED);
    return find(effect.osd(), effect.object());
  }

  /** The same of several copies of an object, which are to be refreshed. */
  List<Lag> suspectAll(List<OsdId> copies, ObjectId object) {
    return copies.stream()
        .map(osd -> new LaggingAdded(osd, object, LaggingKind.REFRESH, Lsn.ZERO))
        .map(this::suspect)
        .toList();
  }

  /**
   * Withdraws a suspicion that no round has reported. The copy lags on if it does for another
   * reason.
   */
  void withdraw(Lag suspected) {
    OsdId osd = suspected.effect().osd();
    ObjectId object = suspected.effect().object();
    if (find(osd, object) == suspected) {
      apply(new LaggingCleared(osd, object), NOT_JOURNALLED);
    }
  }

  /** The copy must not be read. */
  public boolean isLagging(OsdId osd, ObjectId object) {
    return find(osd, object) != null;
  }

  /** The copy needs no flush: it gets everything when it is caught up. */
  boolean isLeftOut(OsdId osd, ObjectId object) {
    return isLagging(osd, object)
        && !catchingUp.getOrDefault(osd, new TreeSet<>()).contains(object);
  }

  /** The copy's entry, or null. */
  public Lag find(OsdId osd, ObjectId object) {
    SortedMap<ObjectId, Lag> lags = byOsd.get(osd);
    return lags == null ? null : lags.get(object);
  }

  /** OSDs with a lagging copy of the object. */
  SortedSet<OsdId> osdsLaggingOn(ObjectId object) {
    SortedSet<OsdId> osds = new TreeSet<>();
    byOsd.forEach(
        (osd, lags) -> {
          if (lags.containsKey(object)) {
            osds.add(osd);
          }
        });
    return osds;
  }

  /** OSDs that have lagging copies. */
  public List<OsdId> osds() {
    return List.copyOf(byOsd.keySet());
  }

  /** At most so many of an OSD's lagging copies, of objects with larger ids. */
  public List<Lag> of(OsdId osd, ObjectId after, int max) {
    return byOsd.getOrDefault(osd, new TreeMap<>()).tailMap(after).values().stream()
        .filter(lag -> !lag.effect().object().equals(after))
        .limit(max)
        .toList();
  }

  /** The copy gets flushes again, and is not read yet. */
  public void startCatchingUp(OsdId osd, ObjectId object) {
    catchingUp.computeIfAbsent(osd, id -> new TreeSet<>()).add(object);
  }

  /** The copy is left out again, until it is tried once more. */
  public void stopCatchingUp(OsdId osd, ObjectId object) {
    SortedSet<ObjectId> objects = catchingUp.get(osd);
    if (objects != null) {
      objects.remove(object);
    }
  }

  int size() {
    return size;
  }

  int sizeAt(OsdId osd) {
    return byOsd.getOrDefault(osd, new TreeMap<>()).size();
  }

  /** Objects that are to be removed from an OSD, and may still be there. */
  int removalsAt(OsdId osd) {
    return removals.getOrDefault(osd, 0);
  }

  /** Objects of which an OSD has something that was written anew elsewhere while it was down. */
  int rebuiltFrom(OsdId osd) {
    return rebuilt.getOrDefault(osd, 0);
  }

  /** At most so many that are to be removed from it, in the order of objects. */
  List<ObjectId> removalsAt(OsdId osd, int max) {
    return byOsd.getOrDefault(osd, new TreeMap<>()).values().stream()
        .filter(LaggingCopies::isRemoval)
        .limit(max)
        .map(lag -> lag.effect().object())
        .toList();
  }

  private static boolean isRemoval(Lag lag) {
    return lag != null && lag.effect().kind() == LaggingKind.REMOVE;
  }

  private static boolean isRebuilt(Lag lag) {
    return lag != null && lag.effect().rebuilt();
  }

  private void count(OsdId osd, Lag before, Lag after) {
    int change = (isRemoval(after) ? 1 : 0) - (isRemoval(before) ? 1 : 0);
    if (change != 0) {
      removals.merge(osd, change, Integer::sum);
    }
    int more = (isRebuilt(after) ? 1 : 0) - (isRebuilt(before) ? 1 : 0);
    if (more != 0) {
      rebuilt.merge(osd, more, Integer::sum);
    }
  }

  List<LiveEffect> effects() {
    List<LiveEffect> effects = new ArrayList<>();
    byOsd.values().forEach(lags -> lags.values().forEach(lag -> effects.add(lag.effect())));
    return effects;
  }
}
