package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;

/**
 * Removes a name from a directory that is named by its number (P 6.5c). The node goes as with
 * {@link org.weft.metadata.volume.operation.name.Unlink} and {@link
 * org.weft.metadata.volume.operation.name.RemoveDirectory}.
 *
 * @param isDirectory it must lead to an empty directory; else to anything but a directory
 */
public record RemoveName(ObjectId directory, String name, boolean isDirectory)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    Attributes parent = nodes.searched(directory);
    Attributes node = nodes.child(parent, name, nodes.requireEntry(parent, name));
    Attributes writable = nodes.writable(directory);
    nodes.requireRemovable(parent, name, node);
    requireKind(node);
    Nodes namespace = new Nodes(on);
    namespace.unlink(writable, name, node);
    namespace.remove(node);
    NodeReply.Builder reply = NodeReply.newBuilder().setDirectory(nodes.change(parent));
    // Only the writer may know the length of a file that is being written.
    boolean known = node.kind() != NodeKind.FILE || on.lengths().isKnown(node.object());
    return known ? reply.setNode(nodes.change(node)).build() : reply.build();
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return new NumberedNodes(on).lookedAt(directory);
  }

  private void requireKind(Attributes node) throws WeftException {
    Object what = new NumberedNodes.Named(directory, name);
    if (node.isDirectory() && !isDirectory) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, what + " is a directory; remove it as one");
    }
    if (!node.isDirectory() && isDirectory) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, what + " is not a directory");
    }
    if (node.entries() > 0) {
      throw new WeftException(
          ErrorCode.NOT_EMPTY, what + " has " + node.entries() + " entries; remove them first");
    }
  }
}
