package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e). Names of a directory that
 * lead nowhere go, and its counts are those of the names that are in it.
 *
 * @param dropped each with the object that it leads to
 * @param entries how many names there are afterwards
 * @param directories how many of them lead to directories or volumes
 */
public record OrderDirectory(
    ObjectId directory, List<Dropped> dropped, long entries, int directories) implements Operation {
  private static final int DIRECTORY_LINKS = 2;

  /** A name that is to lead nowhere, if it still leads to that object. */
  public record Dropped(String name, ObjectId object) {}

  public OrderDirectory {
    dropped = List.copyOf(dropped);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.view().attributes(directory, List.of(), "directory " + directory);
    for (Dropped each : dropped) {
      Optional<DirectoryEntry> entry = on.view().lookup(directory, each.name());
      if (entry.filter(one -> one.object().equals(each.object())).isPresent()) {
        on.draft().removeEntry(directory, each.name());
      }
    }
    var unused =
        on.draft().put(node.edit().entries(entries).links(DIRECTORY_LINKS + directories).build());
    return Empty.getDefaultInstance();
  }
}
