package org.weft.metadata.acl;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * A user, as the client stated it when it opened its session: the user whose permissions are
 * checked.
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

  /** Bytes of the user's name and of those of all groups. */
  public int nameBytes() {
    return Stream.concat(Stream.of(user), groups.stream())
        .mapToInt(name -> name.getBytes(StandardCharsets.UTF_8).length)
        .sum();
  }

  public boolean in(String group) {
    return groups.contains(group);
  }
}
