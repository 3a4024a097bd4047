package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Empty;

/**
 * Moves a node to another name, in one record (P 6.7). With {@code replace} an existing target
 * goes: a file for a file, an empty directory for a directory. A name moved onto itself, or onto
 * another name of the same file, stays. Symbolic links are moved and replaced themselves.
 */
public record Rename(NodePath source, NodePath target, boolean replace) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Place from = on.walk().place(source);
    DirectoryEntry moving = from.requireEntry();
    Place to = on.walk().place(target);
    Attributes node = on.walk().attributes(moving, source);
    Optional<DirectoryEntry> existing = to.entry();
    if (existing.isPresent() && existing.get().object().equals(moving.object())) {
      return Empty.getDefaultInstance();
    }
    requireMayChange(on, from, node);
    Permissions.require(to.directory(), on.credentials(), Permissions.WRITE, target.parent());
    Nodes nodes = new Nodes(on);
    if (node.isDirectory() && !sameDirectory(from, to)) {
      nodes.requireRoomBelow(to.directory(), node.object(), target);
    }
    if (node.isDirectory()) {
      new VolumeEntries(on).requireNoneBelow(node, source);
    }
    if (existing.isPresent()) {
      Attributes replaced = on.walk().attributes(existing.get(), target);
      requireReplaceable(on, node, to, replaced);
      nodes.unlink(to.directory(), target.name(), replaced);
      nodes.remove(replaced);
    }
    nodes.unlink(from.directory(), source.name(), node);
    nodes.moved(node, to.directory(), target.name(), source);
    nodes.link(to.directory(), target.name(), node);
    return Empty.getDefaultInstance();
  }

  private static boolean sameDirectory(Place from, Place to) {
    return from.directory().object().equals(to.directory().object());
  }

  private static void requireMayChange(Execution on, Place place, Attributes node)
      throws WeftException {
    Permissions.require(
        place.directory(), on.credentials(), Permissions.WRITE, place.path().parent());
    Permissions.requireSticky(place.directory(), node, on.credentials(), place.path());
  }

  private void requireReplaceable(Execution on, Attributes node, Place to, Attributes replaced)
      throws WeftException {
    if (!replace) {
      throw new WeftException(ErrorCode.EXISTS, target + " exists already");
    }
    requireMayChange(on, to, replaced);
    if (replaced.isDirectory() && !node.isDirectory()) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, target + " is a directory and cannot be replaced by a file");
    }
    if (!replaced.isDirectory() && node.isDirectory()) {
      throw new WeftException(
          ErrorCode.NOT_DIRECTORY, target + " is a file and cannot be replaced by a directory");
    }
    if (replaced.isDirectory() && replaced.entries() > 0) {
      throw new WeftException(
          ErrorCode.NOT_EMPTY,
          target + " has " + replaced.entries() + " entries and cannot be replaced");
    }
  }
}
