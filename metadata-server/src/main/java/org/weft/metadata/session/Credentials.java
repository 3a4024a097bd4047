package org.weft.metadata.session;

import java.util.List;

/**
 * Who a session acts for, as the client stated it when it opened the session.
 *
 * @param superuser passes every permission check: the user that made the cluster, or a member of
 *     the superuser group
 */
public record Credentials(String user, List<String> groups, boolean superuser) {
  /** Members of this group are superusers. */
  public static final String SUPERGROUP = "supergroup";

  public Credentials {
    groups = List.copyOf(groups);
  }

  /**
   * @param clusterOwner the user that made the cluster
   */
  public static Credentials of(String user, List<String> groups, String clusterOwner) {
    return new Credentials(user, groups, user.equals(clusterOwner) || groups.contains(SUPERGROUP));
  }

  public boolean in(String group) {
    return groups.contains(group);
  }
}
