package org.weft.cli.files;

import java.util.List;
import org.weft.client.AclStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclType;

/** The three entries that a mode stands for. */
final class AclOfMode {
  private AclOfMode() {}

  static AclStatus of(WeftPath path, MemoryNode node) {
    return new AclStatus(
        path,
        node.mode,
        node.owner,
        node.group,
        List.of(
            AclEntry.access(AclType.USER, "", node.mode >> 6 & AclEntry.ALL),
            AclEntry.access(AclType.GROUP, "", node.mode >> 3 & AclEntry.ALL),
            AclEntry.access(AclType.OTHER, "", node.mode & AclEntry.ALL)));
  }
}
