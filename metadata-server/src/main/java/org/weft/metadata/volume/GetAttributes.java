package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;

/**
 * Tells the attributes of a node. A file that is being written shows its published length (P 4.3).
 *
 * @param noFollow of a symbolic link at the end of the path itself
 * @param withXattrs extended attributes too, for those who may read the node; those of the name
 *     space "trusted." for superusers
 * @param withHandle the node's handle too
 */
public record GetAttributes(NodePath path, boolean noFollow, boolean withXattrs, boolean withHandle)
    implements Operation {
  /** Of what the path leads to, without extended attributes. */
  public GetAttributes(NodePath path) {
    this(path, false, false, false);
  }

  /** Without the handle. */
  public GetAttributes(NodePath path, boolean noFollow, boolean withXattrs) {
    this(path, noFollow, withXattrs, false);
  }

  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    Attributes node = noFollow ? on.walk().nodeOrLink(path) : on.walk().node(path);
    on.requireLength(node.object());
    AttributesReply reply = Replies.attributesNow(on, node);
    if (withHandle) {
      reply = reply.toBuilder().setHandle(on.handles().of(node.object())).build();
    }
    return withXattrs ? reply.toBuilder().setAttributes(full(on, node)).build() : reply;
  }

  private FileAttributes full(Execution on, Attributes node) throws RpcException {
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
