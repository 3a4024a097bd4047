package org.weft.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Translates access control lists between Hadoop and Weft. */
final class HadoopAcls {
  private static final int PERMISSION_BITS = 01777;
  private static final int STICKY = 01000;

  private final WeftFiles files;

  HadoopAcls(WeftFiles files) {
    this.files = files;
  }

  /**
   * Answers as HDFS does. The permission alone has the entries of the owner, of others and the mask
   * of the access list. It also has the owning group's entry where there is no mask.
   */
  AclStatus status(WeftPath path) throws IOException {
    org.weft.client.AclStatus acl = files.acl(path);
    List<org.apache.hadoop.fs.permission.AclEntry> entries = new ArrayList<>();
    for (AclEntry entry : acl.entries()) {
      boolean shown = entry.isNamed() || acl.isExtended() && entry.type() == AclType.GROUP;
      if (entry.scope() == AclScope.DEFAULT || shown) {
        entries.add(toHadoop(entry));
      }
    }
    return new AclStatus.Builder()
        .owner(acl.owner())
        .group(acl.group())
        .stickyBit((acl.mode() & STICKY) != 0)
        .setPermission(new FsPermission((short) (acl.mode() & PERMISSION_BITS)))
        .addEntries(entries)
        .build();
  }

  /** Changes the lists in one step. */
  void change(
      WeftPath path, AclChange change, List<org.apache.hadoop.fs.permission.AclEntry> entries)
      throws IOException {
    try {
      List<AclEntry> wanted = new ArrayList<>(entries.size());
      for (org.apache.hadoop.fs.permission.AclEntry entry : entries) {
        requireRights(change, entry);
        wanted.add(fromHadoop(entry));
      }
      files.changeAcl(path, change, wanted);
    } catch (IllegalArgumentException e) {
      throw new PathIOException(path.toString(), "Invalid ACL: " + e.getMessage(), e);
    } catch (WeftException e) {
      if (e.code() == ErrorCode.INVALID_ARGUMENT) {
        throw new PathIOException(path.toString(), "Invalid ACL: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  /** Without rights an entry would take all of them away. */
  private static void requireRights(
      AclChange change, org.apache.hadoop.fs.permission.AclEntry entry) {
    if (entry.getPermission() == null && change != AclChange.REMOVE_ENTRIES) {
      throw new IllegalArgumentException(
          "the entry " + entry + " has no permission; only those to be removed need none");
    }
  }

  private static org.apache.hadoop.fs.permission.AclEntry toHadoop(AclEntry entry) {
    org.apache.hadoop.fs.permission.AclEntry.Builder built =
        new org.apache.hadoop.fs.permission.AclEntry.Builder()
            .setScope(
                entry.scope() == AclScope.ACCESS ? AclEntryScope.ACCESS : AclEntryScope.DEFAULT)
            .setType(
                switch (entry.type()) {
                  case USER -> org.apache.hadoop.fs.permission.AclEntryType.USER;
                  case GROUP -> org.apache.hadoop.fs.permission.AclEntryType.GROUP;
                  case MASK -> org.apache.hadoop.fs.permission.AclEntryType.MASK;
                  case OTHER -> org.apache.hadoop.fs.permission.AclEntryType.OTHER;
                })
            .setPermission(FsAction.values()[entry.rights()]);
    return entry.isNamed() ? built.setName(entry.name()).build() : built.build();
  }

  private static AclEntry fromHadoop(org.apache.hadoop.fs.permission.AclEntry entry) {
    return new AclEntry(
        entry.getScope() == AclEntryScope.ACCESS ? AclScope.ACCESS : AclScope.DEFAULT,
        switch (entry.getType()) {
          case USER -> AclType.USER;
          case GROUP -> AclType.GROUP;
          case MASK -> AclType.MASK;
          case OTHER -> AclType.OTHER;
        },
        entry.getName() == null ? "" : entry.getName(),
        entry.getPermission() == null ? 0 : entry.getPermission().ordinal());
  }
}
