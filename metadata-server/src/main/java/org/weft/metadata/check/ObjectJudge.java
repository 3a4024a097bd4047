package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.check.NodeState.Named;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.ComponentTag;
import org.weft.recovery.rebuild.ComponentRebuild;

/**
 * Compares what a manager holds of one object with what OSDs have of it. Pure; whether what it says
 * can be told depends on when both were looked at ({@link SecondLook}).
 */
final class ObjectJudge {
  private final CheckedVolume volume;

  ObjectJudge(CheckedVolume volume) {
    this.volume = volume;
  }

  /**
   * @param found what OSDs have of it
   * @param answered OSDs that have told; what others have is not known
   */
  List<Suspicion> judge(NodeState state, Map<OsdId, StoredObject> found, Set<OsdId> answered) {
    List<Suspicion> all = new ArrayList<>();
    if (state.live().removed()) {
      return all;
    }
    if (state.attributes().isEmpty()) {
      withoutAttributes(state, found, all);
      return all;
    }
    Attributes node = state.attributes().get();
    names(state, node, all);
    SortedMap<OsdId, Integer> wanted = places(node);
    found.forEach((osd, stored) -> place(state, node, wanted, osd, stored, all));
    attributes(state, node, found, answered, all);
    if (node.isDirectory()) {
      directoryCopies(state, node, found, answered, all);
    } else if (node.kind() == NodeKind.FILE && !state.live().busy() && !state.live().orphan()) {
      components(state, node, found, answered, all);
    }
    return all;
  }

  private static void withoutAttributes(
      NodeState state, Map<OsdId, StoredObject> found, List<Suspicion> all) {
    if (state.silent().isEmpty()) {
      found.forEach(
          (osd, stored) -> {
            if (!state.live().explains(osd)) {
              all.add(
                  Suspicion.on(
                      osd,
                      FindingKind.OBJECT_WITHOUT_ATTRIBUTES,
                      state.object(),
                      "osd-%s has component %d of object %s, of which no OSD has attributes"
                          .formatted(osd, stored.tag().getComponentIndex(), state.object())));
            }
          });
    }
  }

  private static void names(NodeState state, Attributes node, List<Suspicion> all) {
    ObjectId object = state.object();
    if (state.live().orphan()) {
      return;
    }
    if (state.named() == Named.NO) {
      all.add(
          Suspicion.of(
              FindingKind.OBJECT_WITHOUT_NAME,
              object,
              "no name leads to object %s, which was \"%s\" in directory %s"
                  .formatted(object, node.parent().name(), node.parent().directory())));
    } else if (state.named() == Named.YES && !node.isDirectory() && node.links() != 1) {
      all.add(
          Suspicion.of(
              FindingKind.WRONG_LINK_COUNT,
              object,
              "object %s has one name, and its link count is %d".formatted(object, node.links())));
    }
  }

  /** OSDs that may have something of the node, each with the index that it must carry. */
  private SortedMap<OsdId, Integer> places(Attributes node) {
    StorageMap map = node.map();
    SortedMap<OsdId, Integer> places = new TreeMap<>(volume.attributeCopies(map));
    if (node.isDirectory()) {
      volume.directoryCopies(map).forEach(places::putIfAbsent);
    }
    for (int index = 0; index < map.components().size(); index++) {
      if (!map.isMissing(index)) {
        places.put(map.osdOf(index), index);
      }
    }
    return places;
  }

  private static void place(
      NodeState state,
      Attributes node,
      SortedMap<OsdId, Integer> wanted,
      OsdId osd,
      StoredObject stored,
      List<Suspicion> all) {
    if (state.live().explains(osd)) {
      return;
    }
    Integer index = wanted.get(osd);
    ComponentTag tag = stored.tag();
    ObjectId object = state.object();
    if (index == null) {
      all.add(
          Suspicion.on(
              osd,
              FindingKind.LEFTOVER_COMPONENT,
              object,
              "osd-%s has component %d of object %s, which is at %s (generation %d)"
                  .formatted(
                      osd,
                      tag.getComponentIndex(),
                      object,
                      node.map().components(),
                      node.map().generation())));
      return;
    }
    // A copy of a directory that took the place of another keeps the index that it was made with.
    boolean isComponent = index < node.map().components().size() && !node.isDirectory();
    ComponentTag right = node.map().tag(index);
    boolean isPlace = !isComponent || tag.getComponentIndex() == index;
    boolean isLayout =
        right.toBuilder()
            .setMapGeneration(tag.getMapGeneration())
            .setComponentIndex(tag.getComponentIndex())
            .build()
            .equals(tag);
    if (!isPlace || !isLayout || tag.getMapGeneration() > node.map().generation()) {
      all.add(
          Suspicion.on(
              osd,
              FindingKind.WRONG_COMPONENT,
              object,
              "osd-%s has component %d of generation %d, %d+%d units of %d bytes, of object %s; the map says component %d of generation %d, %s"
                  .formatted(
                      osd,
                      tag.getComponentIndex(),
                      tag.getMapGeneration(),
                      tag.getDataUnits(),
                      tag.getParityUnits(),
                      tag.getUnitBytes(),
                      object,
                      index,
                      node.map().generation(),
                      node.map().layout())));
    }
  }

  private void attributes(
      NodeState state,
      Attributes node,
      Map<OsdId, StoredObject> found,
      Set<OsdId> answered,
      List<Suspicion> all) {
    ObjectId object = state.object();
    StoredObject.Page newest = null;
    OsdId newestOn = null;
    for (OsdId osd : volume.attributeCopies(node.map()).keySet()) {
      StoredObject stored = found.get(osd);
      if (state.live().explains(osd) || !answered.contains(osd)) {
        continue;
      }
      if (stored == null || stored.page().isEmpty()) {
        String why = stored == null ? "" : stored.unreadable().map(text -> ": " + text).orElse("");
        all.add(
            Suspicion.on(
                osd,
                FindingKind.ATTRIBUTES_ABSENT,
                object,
                "osd-%s has no attributes of object %s%s".formatted(osd, object, why)));
        continue;
      }
      StoredObject.Page page = stored.page().get();
      if (newest == null || page.lsn().compareTo(newest.lsn()) > 0) {
        newest = page;
        newestOn = osd;
      }
    }
    for (OsdId osd : volume.attributeCopies(node.map()).keySet()) {
      StoredObject stored = found.get(osd);
      boolean isCompared =
          stored != null && stored.page().isPresent() && !state.live().explains(osd);
      if (!isCompared || !answered.contains(osd)) {
        continue;
      }
      StoredObject.Page page = stored.page().get();
      boolean isOld = page.attributes().changeLsn().compareTo(node.changeLsn()) < 0;
      if (isOld || !page.lsn().equals(newest.lsn()) || !page.bytes().equals(newest.bytes())) {
        all.add(
            Suspicion.on(
                osd,
                FindingKind.ATTRIBUTE_COPIES_DIFFER,
                object,
                "attributes of object %s on osd-%s are of record %s, on osd-%s of record %s; the manager has %s"
                    .formatted(object, osd, page.lsn(), newestOn, newest.lsn(), node.changeLsn())));
      }
    }
  }

  private void directoryCopies(
      NodeState state,
      Attributes node,
      Map<OsdId, StoredObject> found,
      Set<OsdId> answered,
      List<Suspicion> all) {
    for (OsdId osd : volume.directoryCopies(node.map()).keySet()) {
      boolean isAbsent = !found.containsKey(osd) && !state.live().explains(osd);
      if (isAbsent && answered.contains(osd)) {
        all.add(
            Suspicion.on(
                osd,
                FindingKind.DIRECTORY_COPY_ABSENT,
                state.object(),
                "osd-%s has no copy of directory %s".formatted(osd, state.object())));
      }
    }
  }

  /** What must exist (P 4.2), and how long the file is (P 4.3); of a file that is at rest. */
  private static void components(
      NodeState state,
      Attributes file,
      Map<OsdId, StoredObject> found,
      Set<OsdId> answered,
      List<Suspicion> all) {
    if (file.unwritten() || file.truncation().trimBytes().isPresent() || file.sizeBytes() == 0) {
      return;
    }
    StorageMap map = file.map();
    boolean isWhole = true;
    long eofBytes = 0;
    for (int index = 0; index < map.components().size(); index++) {
      OsdId osd = map.osdOf(index);
      boolean exists = ComponentRebuild.exists(map.layout(), file.sizeBytes(), index);
      StoredObject stored = found.get(osd);
      if (map.isMissing(index) || state.live().explains(osd) || !answered.contains(osd)) {
        isWhole &= !exists;
      } else if (stored == null && exists) {
        isWhole = false;
        all.add(
            Suspicion.on(
                osd,
                FindingKind.COMPONENT_ABSENT,
                state.object(),
                "osd-%s has no component %d of object %s, which has %,d bytes"
                    .formatted(osd, index, state.object(), file.sizeBytes())));
      } else if (stored != null
          && stored.truncationNumber() == file.truncation().number()
          && stored.tag().getComponentIndex() == index) {
        eofBytes = Math.max(eofBytes, stored.eofBytes());
      }
    }
    if (eofBytes > file.sizeBytes() || isWhole && eofBytes < file.sizeBytes()) {
      all.add(
          Suspicion.of(
              FindingKind.WRONG_LENGTH,
              state.object(),
              "object %s has %,d bytes by its attributes, and %,d by its components"
                  .formatted(state.object(), file.sizeBytes(), eofBytes)));
    }
  }
}
