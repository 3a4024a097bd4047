package org.weft.hadoop;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Access control lists as far as a mode says the same: owner, group and others. Weft's managers
 * enforce modes alone, so that entries of named users or groups, masks and defaults are refused.
 */
final class ModeAcl {
  private ModeAcl() {}

  /** As HDFS has it, the mode's own three entries are in the permission alone. */
  static AclStatus of(FileStatus status) {
    return new AclStatus.Builder()
        .owner(status.getOwner())
        .group(status.getGroup())
        .stickyBit(status.getPermission().getStickyBit())
        .setPermission(status.getPermission())
        .build();
  }

  /**
   * The permission with all of its three entries replaced.
   *
   * @throws PathIOException if there are entries beside them, or one of them is missing
   */
  static FsPermission replaced(Path path, FsPermission now, List<AclEntry> entries)
      throws PathIOException {
    Map<AclEntryType, FsAction> actions = actions(path, entries);
    if (actions.size() < 3) {
      throw new PathIOException(
          path.toString(), "an ACL needs entries of user::, group:: and other::, got " + entries);
    }
    return with(now, actions);
  }

  /**
   * The permission with some of its three entries replaced.
   *
   * @throws PathIOException if there are entries beside them
   */
  static FsPermission modified(Path path, FsPermission now, List<AclEntry> entries)
      throws PathIOException {
    return with(now, actions(path, entries));
  }

  /**
   * There is nothing that could be removed.
   *
   * @throws PathIOException if one of the mode's own entries is to go
   */
  static void requireRemovable(Path path, List<AclEntry> entries) throws PathIOException {
    for (AclEntry entry : entries) {
      if (isOfMode(entry)) {
        throw new PathIOException(
            path.toString(), "the entries user::, group:: and other:: cannot be removed");
      }
    }
  }

  private static boolean isOfMode(AclEntry entry) {
    return entry.getScope() == AclEntryScope.ACCESS
        && entry.getName() == null
        && entry.getType() != AclEntryType.MASK;
  }

  private static Map<AclEntryType, FsAction> actions(Path path, List<AclEntry> entries)
      throws PathIOException {
    Map<AclEntryType, FsAction> actions = new EnumMap<>(AclEntryType.class);
    for (AclEntry entry : entries) {
      if (!isOfMode(entry)) {
        throw new PathIOException(
            path.toString(),
            "the ACL entry '"
                + entry
                + "' cannot be kept: Weft has modes (user::, group::, other::), no named users or"
                + " groups, masks or defaults; copy without ACLs (distcp without 'a' in -p), or"
                + " remove the entry");
      }
      actions.put(entry.getType(), entry.getPermission());
    }
    return actions;
  }

  private static FsPermission with(FsPermission now, Map<AclEntryType, FsAction> actions) {
    return new FsPermission(
        actions.getOrDefault(AclEntryType.USER, now.getUserAction()),
        actions.getOrDefault(AclEntryType.GROUP, now.getGroupAction()),
        actions.getOrDefault(AclEntryType.OTHER, now.getOtherAction()),
        now.getStickyBit());
  }
}
