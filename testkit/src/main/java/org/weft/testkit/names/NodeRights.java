package org.weft.testkit.names;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;

/**
 * The rights of users on a node, after the text of POSIX 1003.1e: its mode and two maps from
 * "user:bob" to rights. Where there is a mask, the mode's group bits are it. Never changes.
 *
 * @param access owning group and names of the access list; empty: the mode alone counts
 * @param defaults the whole default list, mask and all; empty: there is none
 */
public record NodeRights(
    int mode,
    String owner,
    String group,
    Optional<SortedMap<String, Integer>> access,
    Optional<SortedMap<String, Integer>> defaults) {
  private static final int SETUID = 04000;
  private static final int SETGID = 02000;
  private static final List<String> IN_THE_MODE = List.of("user:", "mask:", "other:");

  /** Rights without lists. */
  public static NodeRights of(int mode, String owner, String group) {
    return new NodeRights(mode, owner, group, Optional.empty(), Optional.empty());
  }

  NodeRights withMode(int changed) {
    return new NodeRights(changed, owner, group, access, defaults);
  }

  /** As after a change of the group by its owner. */
  NodeRights withoutSetIds() {
    int kept = mode & ~SETUID;
    return withMode((kept & 010) != 0 ? kept & ~SETGID : kept);
  }

  NodeRights withGroup(String changed) {
    return new NodeRights(mode, owner, changed, access, defaults);
  }

  /** True for the owner and the superuser. */
  public boolean isOwner(NameUser user) {
    return user.isSuper() || user.name().equals(owner);
  }

  /** A mode as the user may set it: on a file of a foreign group no user sets setgid. */
  NodeRights settableBy(NameUser user, boolean directory) {
    boolean keeps = directory || user.isSuper() || user.groups().contains(group);
    return keeps ? this : withMode(mode & ~SETGID);
  }

  /**
   * The steps of the access check, one after the other.
   *
   * @param wanted 4 to read, 2 to write, 1 to execute, or their sum
   */
  public boolean may(NameUser user, int wanted) {
    if (user.isSuper()) {
      return true;
    }
    int groupBits = mode >> 3 & 7;
    if (user.name().equals(owner)) {
      return has(mode >> 6, wanted);
    }
    if (access.isEmpty()) {
      return has(user.groups().contains(group) ? groupBits : mode, wanted);
    }
    SortedMap<String, Integer> list = access.get();
    Integer named = list.get("user:" + user.name());
    if (named != null) {
      return has(named, wanted) && has(groupBits, wanted);
    }
    long matching = 0;
    long granting = 0;
    for (String of : user.groups()) {
      Integer byName = list.get("group:" + of);
      if (byName != null) {
        matching++;
        granting += has(byName, wanted) ? 1 : 0;
      }
      if (of.equals(group)) {
        matching++;
        granting += has(list.get("group:"), wanted) ? 1 : 0;
      }
    }
    if (matching > 0) {
      return granting > 0 && has(groupBits, wanted);
    }
    return has(mode, wanted);
  }

  private static boolean has(int rights, int wanted) {
    return (rights & wanted) == wanted;
  }

  /** Those of a new file or directory below a directory that has these. */
  NodeRights inherited(boolean directory, NodeMaking making) {
    NameUser user = making.user();
    int given = directory ? making.mode() | mode & SETGID : making.mode();
    NodeRights made = of(given, user.name(), group).settableBy(user, directory);
    if (defaults.isEmpty()) {
      return made.withMode(made.mode & ~making.umask());
    }
    SortedMap<String, Integer> start = defaults.get();
    int groupBits = start.getOrDefault("mask:", start.get("group:")) & making.mode() >> 3 & 7;
    int bits =
        (start.get("user:") & making.mode() >> 6) << 6
            | groupBits << 3
            | start.get("other:") & making.mode();
    return new NodeRights(
        made.mode & ~0777 | bits,
        made.owner,
        made.group,
        start.containsKey("mask:") ? Optional.of(withoutMode(start)) : Optional.empty(),
        directory ? defaults : Optional.empty());
  }

  private static SortedMap<String, Integer> withoutMode(SortedMap<String, Integer> list) {
    SortedMap<String, Integer> without = new TreeMap<>(list);
    without.keySet().removeAll(IN_THE_MODE);
    return without;
  }

  /** Those after a change of the lists; empty if it cannot be. */
  public Optional<NodeRights> changed(AclChange change, List<AclEntry> entries, boolean directory) {
    boolean saysDefault = entries.stream().anyMatch(entry -> entry.scope() == AclScope.DEFAULT);
    if (saysDefault && change != AclChange.REMOVE_ENTRIES && !directory) {
      return Optional.empty();
    }
    if (change == AclChange.REMOVE_ALL) {
      int bare = access.map(list -> mode & ~070 | list.get("group:") << 3).orElse(mode);
      return Optional.of(of(bare, owner, group));
    }
    SortedMap<String, Integer> after = changed(whole(), AclScope.ACCESS, change, entries);
    int bits =
        mode & ~0777
            | after.get("user:") << 6
            | after.getOrDefault("mask:", after.get("group:")) << 3
            | after.get("other:");
    SortedMap<String, Integer> before =
        change == AclChange.REMOVE_DEFAULT ? new TreeMap<>() : defaults.orElseGet(TreeMap::new);
    SortedMap<String, Integer> byDefault = changed(before, AclScope.DEFAULT, change, entries);
    if (!byDefault.isEmpty()) {
      for (String base : List.of("user:", "group:", "other:")) {
        byDefault.putIfAbsent(base, after.get(base));
      }
      if (saysDefault) {
        mask(byDefault, AclScope.DEFAULT, change, entries, before.equals(byDefault));
      }
    }
    return Optional.of(
        new NodeRights(
            bits,
            owner,
            group,
            after.containsKey("mask:") ? Optional.of(withoutMode(after)) : Optional.empty(),
            byDefault.isEmpty() ? Optional.empty() : Optional.of(byDefault)));
  }

  /** The access list with what the mode says. */
  private SortedMap<String, Integer> whole() {
    SortedMap<String, Integer> whole = new TreeMap<>();
    whole.put("group:", mode >> 3 & 7);
    access.ifPresent(
        list -> {
          whole.put("mask:", mode >> 3 & 7);
          whole.putAll(list);
        });
    whole.put("user:", mode >> 6 & 7);
    whole.put("other:", mode & 7);
    return whole;
  }

  private static SortedMap<String, Integer> changed(
      SortedMap<String, Integer> before, AclScope scope, AclChange change, List<AclEntry> entries) {
    SortedMap<String, Integer> after = new TreeMap<>(before);
    List<AclEntry> mine = entries.stream().filter(entry -> entry.scope() == scope).toList();
    if (change == AclChange.REPLACE && !mine.isEmpty()) {
      after.clear();
    }
    for (AclEntry entry : mine) {
      String key = entry.type().word() + ":" + entry.name();
      if (change == AclChange.REMOVE_ENTRIES) {
        after.remove(key);
      } else {
        after.put(key, entry.rights());
      }
    }
    if (scope == AclScope.ACCESS && !mine.isEmpty()) {
      mask(after, scope, change, entries, before.equals(after));
    }
    return after;
  }

  private static void mask(
      SortedMap<String, Integer> list,
      AclScope scope,
      AclChange change,
      List<AclEntry> entries,
      boolean nothingRemoved) {
    boolean given =
        entries.stream().anyMatch(entry -> entry.scope() == scope && entry.type() == AclType.MASK);
    boolean named = list.keySet().stream().anyMatch(key -> !key.endsWith(":"));
    boolean kept = change == AclChange.REMOVE_ENTRIES && nothingRemoved;
    if (given || kept || !named && !list.containsKey("mask:")) {
      return;
    }
    int union = 0;
    for (String key : list.keySet()) {
      boolean bounded = key.startsWith("group:") || key.startsWith("user:") && key.length() > 5;
      union |= bounded ? list.get(key) : 0;
    }
    list.put("mask:", union);
  }

  @Override
  public String toString() {
    return "%04o %s:%s acl %s default %s".formatted(mode, owner, group, access, defaults);
  }
}
