package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;

/**
 * Changes attributes of a node that is named by its number (P 6.5c), in one record. Whether it may
 * be given a length is checked, and its mode loses what it loses when the caller changes its bytes
 * (P 6.5c.8.33). The length itself is set under a write grant.
 *
 * @param guardNanos the ctime that the node must have; empty: any
 */
public record SetNode(ObjectId object, NodeWish wish, OptionalLong guardNanos)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    Attributes node = nodes.node(object);
    on.requireLength(object);
    requireGuard(node);
    requireMayChange(node, on.credentials());
    if (wish.sizeBytes().isPresent()) {
      requireMayResize(node, on.credentials());
    }
    Attributes changed = changed(on, node);
    boolean sets = wish.isOwnersAlone() || wish.setsTimes();
    if (sets || changed.mode() != node.mode() || node.createVerifier().isPresent()) {
      var unused = on.draft().put(changed);
    }
    return NodeReply.newBuilder()
        .setNode(nodes.change(node))
        .setBeingWritten(on.grants().find(object).isPresent())
        .build();
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return new NumberedNodes(on).lookedAt(object, Optional.empty());
  }

  private Attributes changed(Execution on, Attributes node) {
    String group = wish.group().orElse(node.group());
    return node.edit()
        .owner(wish.owner().orElse(node.owner()))
        .group(group)
        .mode(mode(node, group, on.credentials()))
        .times(wish.times(node.times(), on.dayNanos()))
        .createVerifier(OptionalLong.empty())
        .build();
  }

  private int mode(Attributes node, String group, Credentials credentials) {
    int mode = wish.mode().orElse(node.mode());
    if (node.isDirectory()) {
      return mode;
    }
    if (wish.mode().isPresent()) {
      mode = Permissions.withoutForeignSetgid(mode, group, credentials);
    }
    boolean chown = wish.owner().isPresent() || wish.group().isPresent();
    boolean write =
        wish.sizeBytes().isPresent() && wish.mode().isEmpty() && !credentials.superuser();
    return chown || write ? Permissions.withoutRightsOfOthers(mode) : mode;
  }

  private void requireGuard(Attributes node) throws WeftException {
    if (guardNanos.isPresent() && guardNanos.getAsLong() != node.times().ctimeNanos()) {
      throw new WeftException(
          ErrorCode.GUARD_FAILED,
          NumberedNodes.named(object)
              + " was changed last at "
              + node.times().ctimeNanos()
              + " ns, not at "
              + guardNanos.getAsLong());
    }
  }

  private void requireMayChange(Attributes node, Credentials credentials) throws WeftException {
    if (credentials.superuser()) {
      return;
    }
    boolean owns = credentials.user().equals(node.owner());
    boolean othersUser = wish.owner().isPresent() && !wish.owner().get().equals(node.owner());
    boolean othersGroup =
        wish.group().isPresent()
            && !wish.group().get().equals(node.group())
            && !credentials.in(wish.group().get());
    if (othersUser || othersGroup || wish.isOwnersAlone() && !owns) {
      throw new WeftException(
          ErrorCode.NOT_OWNER,
          "user "
              + credentials.user()
              + " may not do that to "
              + NumberedNodes.named(object)
              + ", which belongs to "
              + node.owner()
              + "; an owner may give it to a group that it is in, to another user the superuser"
              + " alone");
    }
    if (wish.setsTimes() && !owns) {
      Permissions.require(node, credentials, Permissions.WRITE, NumberedNodes.named(object));
    }
  }

  private void requireMayResize(Attributes node, Credentials credentials) throws WeftException {
    OpenFile.requireBytes(node, NumberedNodes.named(object));
    if (node.kind() == NodeKind.FILE && !credentials.user().equals(node.owner())) {
      Permissions.require(node, credentials, Permissions.WRITE, NumberedNodes.named(object));
    }
  }
}
