package org.weft.metadata.volume.operation.repair;

import java.util.List;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * How a directory's copy leaves an OSD that is drained (P 6.8). Each execution takes one step, so
 * that there are never fewer copies than before. First the map names another OSD beside the others,
 * the heir, whose copy counts as left behind until it is caught up. Then the heir takes the place
 * of the old copy, if its OSD is up. An heir that is not wanted any more, or whose OSD is down, is
 * dropped. So is one that has not caught up and whose OSD is full by now, if another has room.
 */
final class DirectoryMove {
  private final Execution on;
  private final ComponentSpares spares;

  DirectoryMove(Execution on, ComponentSpares spares) {
    this.on = on;
    this.spares = spares;
  }

  /**
   * The directory as it is after the next step.
   *
   * @throws WeftException BUSY while the heir is being caught up or is silent; NO_SPACE if no OSD
   *     takes a copy
   */
  Attributes step(Attributes directory, RebuildNeed need) throws WeftException {
    StorageMap map = directory.map();
    if (need.moving().isEmpty()) {
      for (OsdId heir : need.heirs()) {
        remove(directory, heir);
      }
      return put(directory, MovedMaps.withoutCopies(map, need.heirs()));
    }
    int component = need.moving().get(0);
    if (need.heirs().isEmpty()) {
      return put(directory, MovedMaps.withCopy(map, heirFor(directory, component)));
    }
    OsdId heir = need.heirs().get(0);
    if (on.cluster().isDown(heir) || isStuck(directory, component, heir)) {
      // It may be so for long, and the old copy is good: another heir is drawn next.
      remove(directory, heir);
      return put(directory, MovedMaps.withoutCopies(map, List.of(heir)));
    }
    requireUp(directory, heir);
    requireCaughtUp(directory, heir);
    new RebuiltComponents(on).leave(directory, List.of(map.osdOf(component)), List.of(heir));
    return put(directory, MovedMaps.inherited(map, component, heir));
  }

  private OsdId heirFor(Attributes directory, int component) throws WeftException {
    OsdId heir =
        spares
            .find(directory.map(), component, 0)
            .orElseThrow(() -> BeginRebuild.noSpare(directory));
    on.draft()
        .add(new LiveEffect.LaggingAdded(heir, directory.object(), LaggingKind.REFRESH, Lsn.ZERO));
    return heir;
  }

  /** Its OSD has no room for what it lacks, and another has. */
  private boolean isStuck(Attributes directory, int component, OsdId heir) {
    return on.view().laggingOn(directory.object()).contains(heir)
        && !spares.hasRoom(directory.map(), component, heir)
        && spares.find(directory.map(), component, 0).isPresent();
  }

  /** Otherwise the last copy that answers may go. */
  private void requireUp(Attributes directory, OsdId heir) throws WeftException {
    if (!on.cluster().pool().up().contains(heir)) {
      throw new WeftException(
          ErrorCode.BUSY,
          "directory %s, object %s, moves once OSD %s, which has its new copy, is up"
              .formatted(directory.parent().name(), directory.object(), heir));
    }
  }

  private void requireCaughtUp(Attributes directory, OsdId heir) throws WeftException {
    SortedSet<OsdId> lagging = on.view().laggingOn(directory.object());
    if (lagging.contains(heir)) {
      throw new WeftException(
          ErrorCode.BUSY,
          "directory %s, object %s, is being copied to OSD %s"
              .formatted(directory.parent().name(), directory.object(), heir));
    }
  }

  private void remove(Attributes directory, OsdId osd) {
    on.draft()
        .add(
            new LiveEffect.LaggingAdded(
                osd, directory.object(), LaggingKind.REMOVE, on.draft().lsn()));
  }

  private Attributes put(Attributes directory, StorageMap next) {
    return on.draft().put(directory.edit().map(next).build());
  }
}
