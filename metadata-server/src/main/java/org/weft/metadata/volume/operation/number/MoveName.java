package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.operation.name.VolumeEntries;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;

/**
 * Moves a name between directories that are named by their numbers (P 6.5c), in one record. It
 * replaces an existing node of the same sort. As with {@link
 * org.weft.metadata.volume.operation.name.Rename} a name that is moved onto another one of the same
 * file stays.
 */
public record MoveName(ObjectId directory, String name, ObjectId target, String targetName)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    Nodes namespace = new Nodes(on);
    Attributes from = nodes.searched(directory);
    Attributes to = nodes.searched(target);
    DirectoryEntry moving = nodes.requireEntry(from, name);
    Attributes node = nodes.child(from, name, moving);
    Optional<DirectoryEntry> existing = nodes.entry(to, targetName);
    if (existing.isPresent() && existing.get().object().equals(moving.object())) {
      return reply(nodes, from, to, node).build();
    }
    Attributes unusedFrom = nodes.writable(directory);
    nodes.requireRemovable(from, name, node);
    Attributes unusedTo = nodes.writable(target);
    requireMovable(on, node, to);
    Optional<Attributes> replaced = Optional.empty();
    if (existing.isPresent()) {
      Attributes old = nodes.child(to, targetName, existing.get());
      nodes.requireRemovable(to, targetName, old);
      requireReplaceable(node, old);
      namespace.unlink(to, targetName, old);
      namespace.remove(old);
      replaced = Optional.of(old);
    }
    namespace.unlink(from, name, node);
    namespace.moved(node, to, targetName, new NumberedNodes.Named(directory, name));
    namespace.link(to, targetName, node);
    NodeReply.Builder reply = reply(nodes, from, to, node);
    replaced.ifPresent(old -> reply.setReplaced(nodes.change(old)));
    return reply.build();
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    NodeReply.Builder told = NodeReply.newBuilder();
    nodes.told(directory).ifPresent(told::setDirectory);
    nodes.told(target).ifPresent(told::setTarget);
    return Optional.of(told.build());
  }

  private NodeReply.Builder reply(
      NumberedNodes nodes, Attributes from, Attributes to, Attributes node) {
    NodeReply.Builder reply =
        NodeReply.newBuilder().setNode(nodes.change(node)).setDirectory(nodes.change(from));
    return directory.equals(target) ? reply : reply.setTarget(nodes.change(to));
  }

  private void requireMovable(Execution on, Attributes node, Attributes to)
      throws NeedsInput, WeftException {
    if (!node.isDirectory()) {
      return;
    }
    if (!directory.equals(target)) {
      new Nodes(on)
          .requireRoomBelow(to, node.object(), new NumberedNodes.Named(target, targetName));
    }
    new VolumeEntries(on).requireNoneBelow(node, new NumberedNodes.Named(directory, name));
  }

  private void requireReplaceable(Attributes node, Attributes replaced) throws WeftException {
    Object what = new NumberedNodes.Named(target, targetName);
    if (replaced.isDirectory() && !node.isDirectory()) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, what + " is a directory and cannot be replaced by a file");
    }
    if (!replaced.isDirectory() && node.isDirectory()) {
      throw new WeftException(
          ErrorCode.NOT_DIRECTORY, what + " is a file and cannot be replaced by a directory");
    }
    if (replaced.entries() > 0) {
      throw new WeftException(
          ErrorCode.NOT_EMPTY,
          what + " has " + replaced.entries() + " entries and cannot be replaced");
    }
  }
}
