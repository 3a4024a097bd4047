package org.weft.nfs.files;

import java.util.List;

/**
 * The user on whose behalf a request is carried out, as the client states it.
 *
 * @param groups the first is the one that new files get; never empty
 * @param superuser may do everything that permissions forbid
 */
public record Caller(String user, List<String> groups, boolean superuser) {
  public Caller {
    groups = List.copyOf(groups);
    if (groups.isEmpty()) {
      throw new IllegalArgumentException("a caller has at least one group: " + user);
    }
  }
}
