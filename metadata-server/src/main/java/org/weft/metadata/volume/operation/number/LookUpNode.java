package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.ReadOffer;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.path.ReadTrace;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;

/**
 * Returns a node by its number, by a name in a directory, or the directory above one (P 6.5c). A
 * file that is being written shows its published length (P 4.3).
 *
 * @param name empty: the node itself
 * @param parent instead: the directory above; of the volume's root the root itself
 * @param mayCache of a file itself: a read grant is wanted
 * @param mayCacheRights of a file itself that is being written: a grant of its rights is wanted
 */
public record LookUpNode(
    ObjectId object, String name, boolean parent, boolean mayCache, boolean mayCacheRights)
    implements Operation {
  private static final int ANY_EXECUTE = 0111;

  /** Without a read grant. */
  public LookUpNode(ObjectId object, String name, boolean parent) {
    this(object, name, parent, false, false);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    if (name.isEmpty() && !parent) {
      return itself(on, nodes);
    }
    Attributes directory = nodes.searched(object);
    if (parent) {
      return reply(on, nodes, above(on, directory)).setDirectory(nodes.change(directory)).build();
    }
    DirectoryEntry entry = nodes.requireEntry(directory, name);
    if (entry.kind() == NodeKind.VOLUME) {
      return NodeReply.newBuilder()
          .setVolumeId(entry.object().value())
          .setDirectory(nodes.change(directory))
          .build();
    }
    return reply(on, nodes, nodes.child(directory, name, entry))
        .setDirectory(nodes.change(directory))
        .build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    boolean itself = name.isEmpty() && !parent;
    return itself ? Optional.empty() : new NumberedNodes(on).lookedAt(object);
  }

  private NodeReply itself(Execution on, NumberedNodes nodes) throws NeedsInput, WeftException {
    Attributes node = nodes.node(object);
    NodeReply.Builder reply = reply(on, nodes, node);
    if (node.kind() != NodeKind.FILE) {
      return reply.build();
    }
    if (mayCache) {
      reply.setGranted(new ReadOffer(on).of(new ReadTrace(false), Optional.of(node)));
    } else if (mayCacheRights) {
      reply.setGranted(new ReadOffer(on).rightsOf(node));
    }
    return reply.build();
  }

  private static Attributes above(Execution on, Attributes directory)
      throws NeedsInput, WeftException {
    return directory.object().equals(ObjectId.ROOT)
        ? directory
        : on.view()
            .attributes(
                directory.parent().directory(),
                List.of(),
                NumberedNodes.named(directory.parent().directory()));
  }

  private static NodeReply.Builder reply(Execution on, NumberedNodes nodes, Attributes node)
      throws NeedsInput, WeftException {
    on.requireLength(node.object());
    return NodeReply.newBuilder()
        .setNode(nodes.change(node))
        .setRights(rights(node, on.credentials()))
        .setBeingWritten(on.grants().find(node.object()).isPresent());
  }

  private static int rights(Attributes node, Credentials credentials) {
    int rights = Permissions.rights(node, credentials);
    // The superuser, too, runs only what can be run.
    boolean runs = node.isDirectory() || (node.mode() & ANY_EXECUTE) != 0;
    return runs ? rights : rights & ~Permissions.EXECUTE;
  }
}
