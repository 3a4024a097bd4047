package org.weft.metadata.salvage;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.StoredObject;
import org.weft.metadata.volume.operation.salvage.SalvagedNode;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;

/**
 * What is known of an object by what all OSDs have of it (P 6.8e): the attributes with the largest
 * LSN are the node's; an OSD with older ones, or none where it should have some, is out of date; an
 * OSD that is not in the map is to have nothing. Pure.
 */
final class SalvageJudge {
  private final CheckedVolume volume;
  private final Set<OsdId> asked;

  /**
   * @param asked OSDs that have told of the object; of others nothing is said
   */
  SalvageJudge(CheckedVolume volume, Set<OsdId> asked) {
    this.volume = volume;
    this.asked = asked;
  }

  /** Empty: no OSD has attributes of it. */
  Optional<SalvagedNode> judge(Map<OsdId, StoredObject> found) {
    Optional<StoredObject.Page> newest =
        found.values().stream()
            .flatMap(stored -> stored.page().stream())
            .max(Comparator.comparing(StoredObject.Page::lsn));
    if (newest.isEmpty()) {
      return Optional.empty();
    }
    Attributes node = newest.get().attributes();
    SortedSet<OsdId> places = places(node);
    SortedSet<OsdId> stale = new TreeSet<>();
    for (OsdId osd : volume.attributeCopies(node.map()).keySet()) {
      StoredObject stored = found.get(osd);
      boolean isWhole =
          stored != null && stored.page().filter(page -> isSame(page, newest.get())).isPresent();
      if (!isWhole && asked.contains(osd)) {
        stale.add(osd);
      }
    }
    SortedSet<OsdId> leftover = new TreeSet<>(found.keySet());
    leftover.removeAll(places);
    boolean isFile = node.kind() == NodeKind.FILE;
    return Optional.of(
        new SalvagedNode(
            node,
            List.copyOf(stale),
            List.copyOf(leftover),
            isFile ? toRebuild(node) : List.of(),
            isFile && isUnsettled(node, found)));
  }

  private static boolean isSame(StoredObject.Page page, StoredObject.Page newest) {
    return page.lsn().equals(newest.lsn()) && page.bytes().equals(newest.bytes());
  }

  private SortedSet<OsdId> places(Attributes node) {
    StorageMap map = node.map();
    SortedSet<OsdId> places = new TreeSet<>(volume.attributeCopies(map).keySet());
    if (node.isDirectory()) {
      places.addAll(volume.directoryCopies(map).keySet());
    }
    for (int index = 0; index < map.components().size(); index++) {
      if (!map.isMissing(index)) {
        places.add(map.osdOf(index));
      }
    }
    return places;
  }

  private static List<Integer> toRebuild(Attributes file) {
    StorageMap map = file.map();
    return map.missing().stream()
        .filter(component -> map.bearsInGroupOf(component, map.missing()))
        .toList();
  }

  /**
   * A writer may have left something: writes that are not known to be complete, a length that the
   * attributes do not have, a component that is not there, or a cut that is not finished.
   */
  private boolean isUnsettled(Attributes file, Map<OsdId, StoredObject> found) {
    StorageMap map = file.map();
    if (file.truncation().trimBytes().isPresent()) {
      return true;
    }
    long eofBytes = 0;
    boolean isWhole = true;
    for (int index = 0; index < map.components().size(); index++) {
      OsdId osd = map.osdOf(index);
      if (map.isMissing(index) || !asked.contains(osd)) {
        isWhole = false;
        continue;
      }
      StoredObject stored = found.get(osd);
      if (stored == null) {
        if (file.sizeBytes() > 0
            && ComponentRebuild.exists(map.layout(), file.sizeBytes(), index)) {
          return true;
        }
        continue;
      }
      boolean isLater = stored.truncationNumber() > file.truncation().number();
      if (isLater || !stored.pending().equals(Optional.of(false))) {
        return true;
      }
      if (stored.truncationNumber() == file.truncation().number()) {
        eofBytes = Math.max(eofBytes, stored.eofBytes());
      }
    }
    return eofBytes > file.sizeBytes() || isWhole && eofBytes < file.sizeBytes();
  }
}
