package org.weft.metadata.volume.operation.repair;

import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.repair.MissingComponent;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.id.OsdId;

/**
 * How OSDs are left whose part of a file is elsewhere from now on, in the draft of one execution (P
 * 5.8, 6.8). Whatever they still hold of it is neither read nor kept, whenever they come back.
 * Where one serves clients now, no client may write the file before it is removed there.
 */
final class RebuiltComponents {
  private final Execution on;

  RebuiltComponents(Execution on) {
    this.on = on;
  }

  /**
   * @param left OSDs that the next map does not name any more
   * @param taken OSDs in their places
   */
  void leave(Attributes file, List<OsdId> left, List<OsdId> taken) {
    for (int place = 0; place < left.size(); place++) {
      OsdId osd = left.get(place);
      int component = file.map().components().indexOf(osd);
      for (MissingComponent missing : on.repairs().of(file.object())) {
        if (missing.component() == component) {
          on.draft()
              .add(new LiveEffect.RepairRemoved(file.object(), missing.osd(), missing.component()));
        }
      }
      if (on.cluster().isRemoved(osd)) {
        // It never comes back.
        on.draft().add(new LiveEffect.LaggingCleared(osd, file.object()));
      } else if (!osd.equals(taken.get(place))) {
        on.draft()
            .add(
                new LiveEffect.LaggingAdded(
                    osd,
                    file.object(),
                    LaggingKind.REMOVE,
                    on.draft().lsn(),
                    on.cluster().isDown(osd)));
        if (!file.isDirectory() && isServed(file, component, osd)) {
          on.draft().add(new LiveEffect.ComponentLeft(file.object(), osd));
        }
      }
    }
  }

  /**
   * The next map names nothing in the places of these.
   *
   * @param osds with a copy of a directory, or of a file's attributes, beside the components
   */
  void drop(Attributes file, List<OsdId> osds) {
    for (OsdId osd : osds) {
      on.draft()
          .add(
              on.cluster().isRemoved(osd)
                  ? new LiveEffect.LaggingCleared(osd, file.object())
                  : new LiveEffect.LaggingAdded(
                      osd, file.object(), LaggingKind.REMOVE, on.draft().lsn()));
    }
  }

  /** Readers with the map of before may read the component there. */
  private boolean isServed(Attributes file, int component, OsdId osd) {
    return component >= 0 && !file.map().isMissing(component) && !on.cluster().isDown(osd);
  }
}
