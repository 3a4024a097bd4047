package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * The components of a volume's files that wait to be rebuilt. Everything comes from the journal.
 * Pure, confined to the volume's thread.
 */
public final class RepairQueue {
  private final TreeMap<ObjectId, TreeMap<Integer, MissingComponent>> byObject = new TreeMap<>();
  private final TreeMap<OsdId, Integer> countByOsd = new TreeMap<>();
  private int size;

  /** Applies that a component is missing; said again it changes nothing. */
  public void add(MissingComponent missing) {
    TreeMap<Integer, MissingComponent> ofObject =
        byObject.computeIfAbsent(missing.object(), object -> new TreeMap<>());
    if (ofObject.putIfAbsent(missing.component(), missing) == null) {
      size++;
      countByOsd.merge(missing.osd(), 1, Integer::sum);
    }
  }

  /** Applies that nothing is left to repair there; what is not in the queue is no error. */
  public void remove(MissingComponent missing) {
    TreeMap<Integer, MissingComponent> ofObject = byObject.get(missing.object());
    MissingComponent removed = ofObject == null ? null : ofObject.remove(missing.component());
    if (removed == null) {
      return;
    }
    size--;
    countByOsd.computeIfPresent(removed.osd(), (osd, count) -> count == 1 ? null : count - 1);
    if (ofObject.isEmpty()) {
      byObject.remove(missing.object());
    }
  }

  /** What waits for one object, by component. */
  public List<MissingComponent> of(ObjectId object) {
    Collection<MissingComponent> found = byObject.getOrDefault(object, new TreeMap<>()).values();
    return List.copyOf(found);
  }

  /**
   * What was on one OSD, in the order of objects.
   *
   * @param after of objects with larger ids
   * @param max at most so many
   */
  public List<MissingComponent> at(OsdId osd, ObjectId after, int max) {
    List<MissingComponent> found = new ArrayList<>();
    if (!countByOsd.containsKey(osd)) {
      return found;
    }
    for (TreeMap<Integer, MissingComponent> ofObject : byObject.tailMap(after, false).values()) {
      for (MissingComponent missing : ofObject.values()) {
        if (found.size() < max && missing.osd().equals(osd)) {
          found.add(missing);
        }
      }
      if (found.size() == max) {
        break;
      }
    }
    return found;
  }

  /** Everything, in the order of objects and components. */
  public List<MissingComponent> all() {
    List<MissingComponent> all = new ArrayList<>(size);
    byObject.values().forEach(ofObject -> all.addAll(ofObject.values()));
    return all;
  }

  /** Files with a component that waits, behind an object, in the order of objects. */
  public List<ObjectId> objects(ObjectId after, int max) {
    return byObject.tailMap(after, false).keySet().stream().limit(max).toList();
  }

  /** Components that wait. */
  public int size() {
    return size;
  }

  /** Files with a component that waits. */
  public int files() {
    return byObject.size();
  }

  /** Components that wait, by the OSD that they were on; OSDs without any are left out. */
  public SortedMap<OsdId, Integer> countByOsd() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(countByOsd));
  }
}
