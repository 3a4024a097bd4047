package org.weft.metadata.acl;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The entries of a list that its mask bounds. Immutable.
 *
 * @param group rights of the owning group
 * @param users rights of users by name
 * @param groups rights of groups by name
 */
public record BoundedEntries(
    int group, SortedMap<String, Integer> users, SortedMap<String, Integer> groups) {
  /** Tags and lengths of one entry in the schema, and its rights, at most. */
  private static final int ENTRY_BYTES = 16;

  public BoundedEntries {
    users = copy(users);
    groups = copy(groups);
    if ((group & ~Acl.RIGHTS) != 0) {
      throw new IllegalArgumentException("rights of a group are 0..7, got " + group);
    }
  }

  /** The owning group alone. */
  public static BoundedEntries of(int group) {
    return new BoundedEntries(group, Collections.emptySortedMap(), Collections.emptySortedMap());
  }

  private static SortedMap<String, Integer> copy(SortedMap<String, Integer> of) {
    if (of.isEmpty()) {
      return Collections.emptySortedMap();
    }
    for (Integer rights : of.values()) {
      if ((rights & ~Acl.RIGHTS) != 0) {
        throw new IllegalArgumentException("rights of an ACL entry are 0..7, got " + rights);
      }
    }
    return Collections.unmodifiableSortedMap(new TreeMap<>(of));
  }

  boolean hasNames() {
    return !users.isEmpty() || !groups.isEmpty();
  }

  /** All that one of them has. */
  int union() {
    int all = group;
    for (int rights : users.values()) {
      all |= rights;
    }
    for (int rights : groups.values()) {
      all |= rights;
    }
    return all;
  }

  /** Bytes in a page, no fewer than it has. */
  int bytes() {
    int bytes = ENTRY_BYTES;
    for (String name : users.keySet()) {
      bytes += ENTRY_BYTES + 3 * name.length();
    }
    for (String name : groups.keySet()) {
      bytes += ENTRY_BYTES + 3 * name.length();
    }
    return bytes;
  }
}
