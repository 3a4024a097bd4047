package org.weft.nfs.host;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * What this host knows of users and groups. Each method blocks, for some seconds at most, and fails
 * where the host gives no clear answer. Thread-safe.
 */
public interface HostAccounts {
  /** The user of that number, unsigned. */
  Optional<String> userName(int uid) throws IOException;

  Optional<Integer> userNumber(String name) throws IOException;

  Optional<String> groupName(int gid) throws IOException;

  Optional<Integer> groupNumber(String name) throws IOException;

  /**
   * The numbers of all groups of a user; none if the host does not know the user.
   *
   * @param user a name, or a number in decimal
   */
  List<Integer> groupsOf(String user) throws IOException;
}
