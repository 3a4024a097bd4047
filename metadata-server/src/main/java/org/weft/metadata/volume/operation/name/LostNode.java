package org.weft.metadata.volume.operation.name;

import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * A name of a file or a symbolic link whose attributes are lost for good. Every OSD that there is
 * has said that it has none. It can neither be read nor put in order. But it can be removed, since
 * else it would be there for ever, with the grants on it (P 5.9).
 */
final class LostNode {
  private final Execution on;

  LostNode(Execution on) {
    this.on = on;
  }

  /**
   * Removes the name, and whatever any OSD has of the file, even while it is written. Without
   * attributes the manager cannot find out when the last writer or reader has gone, or whether
   * there are other names. Other names lead to nothing from now on, and are removed alike.
   *
   * @param lost why there are no attributes
   * @throws WeftException the same one while an OSD that may have them does not answer; else what
   *     forbids the caller to do it
   */
  void unlink(Place place, NodePath path, WeftException lost) throws WeftException {
    DirectoryEntry entry = place.requireEntry();
    ObjectId object = entry.object();
    boolean isKnown = on.cluster().tableVersion() != 0;
    if (entry.kind() == NodeKind.DIRECTORY
        || !isKnown
        || !on.view().mayHaveAttributes(object).isEmpty()) {
      throw lost;
    }
    Attributes parent = place.directory();
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    // Its owner is not known: it counts as the directory's.
    Permissions.requireSticky(parent, parent, on.credentials(), path);
    new Nodes(on).unlink(parent, place.name(), false);
    if (on.view().isBeingRemoved(object)) {
      return;
    }
    on.counters().addFiles(-1);
    List<OsdId> everyOsd = on.cluster().pool().osds().stream().map(OsdCandidate::osd).toList();
    on.draft().removeObject(object, everyOsd);
    for (WriteGrant grant : on.grants().of(object)) {
      on.draft().add(new LiveEffect.GrantClosed(grant.number(), object, 0));
    }
  }
}
