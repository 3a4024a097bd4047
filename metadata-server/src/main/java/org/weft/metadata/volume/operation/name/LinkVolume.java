package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.Empty;

/** The manager's own: from now on the path leads to another volume. A repeat changes nothing. */
public record LinkVolume(NodePath path, PartitionId volume) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    VolumeEntries entries = new VolumeEntries(on);
    Attributes parent = entries.parent(path);
    Optional<DirectoryEntry> existing = entries.at(parent, path);
    if (existing.isPresent() && VolumeEntries.leadsTo(existing.get(), volume)) {
      return Empty.getDefaultInstance();
    }
    if (existing.isPresent()) {
      throw new WeftException(
          ErrorCode.EXISTS, path + " exists already; a volume needs a name that is free");
    }
    new Nodes(on).linkVolume(parent, path.name(), volume);
    return Empty.getDefaultInstance();
  }
}
