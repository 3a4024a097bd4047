package org.weft.metadata.volume.operation.attributes;

import org.weft.metadata.acl.Acl;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.path.Permissions;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * What a request for attributes asks of a node's ACLs.
 *
 * @param shown they are wanted themselves; a user that may ask for a mode may ask for them
 * @param requiredRights the request is refused to a user that lacks one: read 4, write 2, execute 1
 */
public record AclQuestion(boolean shown, int requiredRights) {
  /** Nothing. */
  public static final AclQuestion NONE = new AclQuestion(false, 0);

  void requireRights(Execution on, Attributes node, Object what) throws WeftException {
    if ((requiredRights & ~Acl.RIGHTS) != 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "rights to ask for are 0..7, got " + requiredRights);
    }
    if (requiredRights != 0) {
      Permissions.require(node, on.credentials(), requiredRights, what);
    }
  }
}
