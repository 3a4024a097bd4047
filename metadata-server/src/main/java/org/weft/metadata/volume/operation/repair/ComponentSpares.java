package org.weft.metadata.volume.operation.repair;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.weft.metadata.placement.Spares;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** OSDs that take something of one object, as one execution sees them (P 6.8). */
final class ComponentSpares {
  private final Execution on;
  private final ObjectId object;
  private final Set<OsdId> unfit;
  private final Set<OsdId> up;
  private final Spares spares;

  /**
   * @param avoided OSDs that took nothing when they were tried last
   */
  ComponentSpares(Execution on, ObjectId object, Set<OsdId> avoided) {
    this.on = on;
    this.object = object;
    this.unfit = new HashSet<>(avoided);
    unfit.addAll(on.view().laggingOn(object));
    this.up = new HashSet<>(on.cluster().pool().up());
    this.spares = new Spares(on.cluster().pool(), on.rebuilds().pledgedBytes(), on.random());
  }

  /**
   * The record being made removes the OSD's part of the object: meanwhile it takes no other part.
   */
  void left(OsdId osd) {
    unfit.add(osd);
  }

  /** One that the map leaves out; empty if there is none. */
  Optional<OsdId> find(StorageMap map, int component, long bytes) {
    return find(map, component, bytes, Set.of());
  }

  /** The same; empty, too, if it would be better on one that is shunned. */
  Optional<OsdId> find(StorageMap map, int component, long bytes, Set<OsdId> shunned) {
    Optional<OsdId> other = spares.choose(map, component, bytes, unfit, shunned);
    if (other.isPresent() || !map.isMissing(component)) {
      return other;
    }
    // The former place, if that OSD has no part of it any more: better there than nowhere.
    OsdId before = map.osdOf(component);
    boolean fits = up.contains(before) && !unfit.contains(before) && !shunned.contains(before);
    return fits && !map.attributeOsds().contains(before)
        ? spares.chooseOf(List.of(before), map, component, bytes)
        : Optional.empty();
  }

  /** Something more may be put on that OSD, whatever it has of the object. */
  boolean hasRoom(StorageMap map, int component, OsdId osd) {
    return spares.chooseOf(List.of(osd), map, component, 0).isPresent();
  }

  /**
   * One that has the file's attributes alone and could take the component in their place.
   *
   * @param leastOthers how many other OSDs that are up must have attributes that are up to date;
   *     empty if there are fewer
   */
  Optional<OsdId> holderOfAttributes(StorageMap map, int component, long bytes, int leastOthers) {
    List<OsdId> alone =
        map.attributeOsds().stream()
            .filter(osd -> !map.components().contains(osd) && !unfit.contains(osd))
            .toList();
    return spares
        .chooseOf(alone, map, component, bytes)
        .filter(osd -> othersThan(map, osd) >= leastOthers);
  }

  /** How many other OSDs that are up have the attributes up to date. */
  int othersThan(StorageMap map, OsdId holder) {
    int others = 0;
    SortedSet<OsdId> lagging = on.view().laggingOn(object);
    for (OsdId other : map.attributeHolders(on.settings().metaCopies())) {
      int component = map.components().indexOf(other);
      boolean isThere = component < 0 || !map.isMissing(component);
      if (isThere && !other.equals(holder) && up.contains(other) && !lagging.contains(other)) {
        others++;
      }
    }
    return others;
  }

  /** One that is up has to be rid of something of the object first. */
  Optional<OsdId> beingFreed(StorageMap map) {
    return on.view().laggingOn(object).stream()
        .filter(up::contains)
        .filter(osd -> !map.components().contains(osd) && !map.attributeOsds().contains(osd))
        .findFirst();
  }
}
