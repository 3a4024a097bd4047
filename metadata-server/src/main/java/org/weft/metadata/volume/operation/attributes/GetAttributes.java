package org.weft.metadata.volume.operation.attributes;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.acl.AclCodec;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.ReadOffer;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.path.ReadTrace;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;

/**
 * Returns the attributes of a node. A file that is being written shows its published length (P
 * 4.3).
 *
 * @param noFollow of a symbolic link at the end of the path itself
 * @param withXattrs extended attributes too, for a user that may read the node; those of the name
 *     space "trusted." for superusers
 * @param withHandle the node's handle too
 * @param mayCache read grants are wanted; one for the absence of the node, too
 * @param acl which ACL entries are wanted
 */
public record GetAttributes(
    NodePath path,
    boolean noFollow,
    boolean withXattrs,
    boolean withHandle,
    boolean mayCache,
    AclQuestion acl)
    implements Operation {
  /** Without the ACL. */
  public GetAttributes(
      NodePath path, boolean noFollow, boolean withXattrs, boolean withHandle, boolean mayCache) {
    this(path, noFollow, withXattrs, withHandle, mayCache, AclQuestion.NONE);
  }

  /** The attributes of the node at the end of the path, without extended attributes. */
  public GetAttributes(NodePath path) {
    this(path, false, false, false);
  }

  /** Without read grants. */
  public GetAttributes(NodePath path, boolean noFollow, boolean withXattrs, boolean withHandle) {
    this(path, noFollow, withXattrs, withHandle, false);
  }

  /** Without the handle. */
  public GetAttributes(NodePath path, boolean noFollow, boolean withXattrs) {
    this(path, noFollow, withXattrs, false);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    PathWalk walk = on.walk(mayCache);
    ReadTrace trace = walk.trace();
    Attributes node;
    try {
      node = noFollow ? walk.nodeOrLink(path) : walk.node(path);
    } catch (WeftException e) {
      if (!mayCache || e.code() != ErrorCode.NOT_FOUND || !trace.endedNowhere()) {
        throw e;
      }
      return AttributesReply.newBuilder()
          .setNotFound(e.getMessage())
          .setGranted(new ReadOffer(on).of(trace, Optional.empty()))
          .build();
    }
    acl.requireRights(on, node, path);
    on.requireLength(node.object());
    AttributesReply.Builder reply = Replies.attributesNow(on, node).toBuilder();
    if (withHandle) {
      reply.setHandle(on.handles().of(node.object()));
    }
    if (withXattrs) {
      reply.setAttributes(full(on, node));
    }
    if (acl.shown()) {
      AclCodec.write(node.acls(), reply.getAttributesBuilder());
    }
    if (mayCache) {
      reply.setGranted(new ReadOffer(on).of(trace, Optional.of(node)));
    }
    return reply.build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  private FileAttributes full(Execution on, Attributes node) throws WeftException {
    if (!node.isSymlink()) {
      Permissions.require(node, on.credentials(), Permissions.READ, path);
    }
    FileAttributes all = AttributesCodec.toMessage(node);
    if (on.credentials().superuser()) {
      return all;
    }
    return all.toBuilder()
        .clearXattr()
        .addAllXattr(
            all.getXattrList().stream()
                .filter(xattr -> !xattr.getName().startsWith(SetXattr.TRUSTED))
                .toList())
        .build();
  }
}
