package org.weft.metadata.volume.operation.name;

import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/**
 * The places in this volume where other volumes stand. Their paths are those of directories.
 * Symbolic links are not followed, since the path of a volume is the same for all users.
 */
public final class VolumeEntries {
  private final Execution on;

  public VolumeEntries(Execution on) {
    this.on = on;
  }

  /**
   * The directory in which the path's last name stands or could stand.
   *
   * @throws WeftException NOT_FOUND or NOT_DIRECTORY; TOO_MANY_LOST if no copy of a directory can
   *     be read now
   */
  Attributes parent(NodePath path) throws NeedsInput, WeftException {
    Attributes current = root();
    for (int count = 1; count < path.names().size(); count++) {
      String prefix = path.describe(count);
      DirectoryEntry entry =
          on.view()
              .lookup(current.object(), path.names().get(count - 1))
              .orElseThrow(() -> PathWalk.notFound(prefix));
      if (entry.kind() != NodeKind.DIRECTORY) {
        throw new WeftException(ErrorCode.NOT_DIRECTORY, prefix + " is not a directory");
      }
      current = on.view().attributes(entry, prefix);
    }
    return current;
  }

  private Attributes root() throws NeedsInput, WeftException {
    return on.view().attributes(ObjectId.ROOT, List.of(), "/");
  }

  /** What stands at the path's last name. */
  Optional<DirectoryEntry> at(Attributes parent, NodePath path) throws NeedsInput {
    return on.view().lookup(parent.object(), path.name());
  }

  static boolean leadsTo(DirectoryEntry entry, PartitionId volume) {
    return entry.kind() == NodeKind.VOLUME && entry.object().value() == volume.value();
  }

  /** The entry of a volume: its id in place of an object's. */
  static DirectoryEntry entry(PartitionId volume, Lsn lsn) {
    return new DirectoryEntry(new ObjectId(volume.value()), NodeKind.VOLUME, lsn, List.of());
  }

  /**
   * No volume stands below the directory, which is about to move.
   *
   * @throws WeftException NOT_EMPTY naming the volume
   */
  public void requireNoneBelow(Attributes directory, Object path) throws NeedsInput, WeftException {
    for (NodePath nested : on.surroundings().nested()) {
      if (isAbove(directory.object(), nested)) {
        throw new WeftException(
            ErrorCode.NOT_EMPTY,
            path
                + " cannot be moved: the volume "
                + nested
                + " stands below it; `weft volume list` shows it");
      }
    }
  }

  private boolean isAbove(ObjectId directory, NodePath nested) throws NeedsInput, WeftException {
    Attributes current = root();
    for (int count = 1; count < nested.names().size(); count++) {
      Optional<DirectoryEntry> entry =
          on.view().lookup(current.object(), nested.names().get(count - 1));
      if (entry.isEmpty() || entry.get().kind() != NodeKind.DIRECTORY) {
        return false;
      }
      if (entry.get().object().equals(directory)) {
        return true;
      }
      current = on.view().attributes(entry.get(), nested.describe(count));
    }
    return false;
  }
}
