package org.weft.client.ids;

import java.util.List;

/**
 * The user that a request is made for. The manager believes it of a trusted session alone.
 *
 * @param user 1 to 255 bytes
 * @param groups the first is the one that new nodes get; at least one, at most {@value #MAX_GROUPS}
 * @param superuser every permission check is passed
 */
public record OnBehalfOf(String user, List<String> groups, boolean superuser) {
  public static final int MAX_GROUPS = 64;

  public OnBehalfOf {
    groups = List.copyOf(groups);
    if (user.isEmpty() || groups.isEmpty() || groups.size() > MAX_GROUPS) {
      throw new IllegalArgumentException(
          "a request is on behalf of a user in 1 to "
              + MAX_GROUPS
              + " groups, got user '"
              + user
              + "' in "
              + groups.size());
    }
  }
}
