package org.weft.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;

/**
 * Whether the client's user may do something, by the rules that the manager goes by. The answer may
 * be out of date when it is used, as everywhere.
 */
final class AccessCheck {
  private static final String SUPERGROUP = "supergroup";

  private final WeftFiles files;
  private final Connection connection;

  AccessCheck(WeftFiles files, Connection connection) {
    this.files = files;
    this.connection = connection;
  }

  void require(WeftPath path, FileStatus status, FsAction action) throws IOException {
    if (!allowed(status).implies(action) && !isSuperuser()) {
      throw new AccessControlException(
          "user "
              + connection.user()
              + " has no "
              + action
              + " permission on "
              + path
              + " ("
              + status.getOwner()
              + ":"
              + status.getGroup()
              + " "
              + status.getPermission()
              + ")");
    }
  }

  private FsAction allowed(FileStatus status) {
    FsPermission permission = status.getPermission();
    if (connection.user().equals(status.getOwner())) {
      return permission.getUserAction();
    }
    return connection.groups().contains(status.getGroup())
        ? permission.getGroupAction()
        : permission.getOtherAction();
  }

  /** The root belongs to the user that made the cluster. */
  private boolean isSuperuser() throws IOException {
    return connection.groups().contains(SUPERGROUP)
        || connection.user().equals(files.attributes(WeftPath.ROOT).owner());
  }
}
