package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.Empty;

/** The manager's own: the path does not lead to that volume any more. A repeat changes nothing. */
public record UnlinkVolume(NodePath path, PartitionId volume) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    VolumeEntries entries = new VolumeEntries(on);
    Attributes parent;
    try {
      parent = entries.parent(path);
    } catch (WeftException e) {
      if (e.code().leadsNowhere()) {
        return Empty.getDefaultInstance();
      }
      throw e;
    }
    Optional<DirectoryEntry> existing = entries.at(parent, path);
    if (existing.isPresent() && VolumeEntries.leadsTo(existing.get(), volume)) {
      new Nodes(on).unlinkVolume(parent, path.name());
    }
    return Empty.getDefaultInstance();
  }
}
