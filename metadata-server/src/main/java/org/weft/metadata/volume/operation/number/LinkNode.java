package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;

/** Gives a node, which is named by its number, one more name in a directory (P 6.5c). */
public record LinkNode(ObjectId object, ObjectId directory, String name) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    Attributes node = nodes.node(object);
    Attributes parent = nodes.searched(directory);
    if (node.isDirectory()) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY,
          NumberedNodes.named(object) + " is a directory and cannot have a second name");
    }
    if (on.grants().isOrphan(object)) {
      throw NumberedNodes.stale(object);
    }
    if (nodes.entry(parent, name).isPresent()) {
      throw new WeftException(
          ErrorCode.EXISTS, new NumberedNodes.Named(directory, name) + " exists already");
    }
    if (node.links() >= LinkFile.MAX_LINKS) {
      throw new WeftException(
          ErrorCode.TOO_MANY_LINKS,
          NumberedNodes.named(object)
              + " has "
              + node.links()
              + " names, as many as a file may have");
    }
    Attributes writable = nodes.writable(directory);
    on.requireLength(object);
    var unused = new Nodes(on).addName(writable, name, node);
    return NodeReply.newBuilder()
        .setNode(nodes.change(node))
        .setDirectory(nodes.change(parent))
        .build();
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return new NumberedNodes(on).lookedAt(object, Optional.of(directory));
  }
}
