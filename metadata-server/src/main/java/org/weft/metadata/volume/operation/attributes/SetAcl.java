package org.weft.metadata.volume.operation.attributes;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.acl.AclEdit;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Empty;

/**
 * Changes a node's access control lists in one record, mode and ctime with them; durable when it is
 * answered. For the owner and superusers. INVALID_ARGUMENT names what is wrong with the entries.
 */
public record SetAcl(NodePath path, AclChange change, List<AclEntry> entries) implements Operation {
  private static final int PERMISSION_BITS = 0777;

  public SetAcl {
    entries = List.copyOf(entries);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.walk().node(path);
    Credentials credentials = on.credentials();
    Permissions.requireOwner(node, credentials, "change the ACL of", path);
    AclEdit edit = edit(node);
    int mode = node.mode() & ~PERMISSION_BITS | edit.modeBits();
    Attributes changed =
        node.edit()
            .mode(
                node.isDirectory()
                    ? mode
                    : Permissions.withoutForeignSetgid(mode, node.group(), credentials))
            .acls(edit.acls())
            .times(node.times().touched(on.dayNanos()))
            .build();
    if (changed.extraBytes() > SetXattr.MAX_BYTES_OF_NODE
        && changed.extraBytes() > node.extraBytes()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          path
              + ": the ACL does not fit: it and all extended attributes together may have "
              + SetXattr.MAX_BYTES_OF_NODE
              + " bytes, those have "
              + node.xattrBytes());
    }
    on.draft().put(changed);
    return Empty.getDefaultInstance();
  }

  private AclEdit edit(Attributes node) throws WeftException {
    try {
      return AclEdit.of(node.mode(), node.acls(), node.isDirectory(), change, entries);
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, path + ": " + e.getMessage());
    }
  }
}
