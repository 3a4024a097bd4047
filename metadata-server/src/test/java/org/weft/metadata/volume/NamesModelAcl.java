package org.weft.metadata.volume;

import java.util.List;
import java.util.TreeMap;
import org.weft.metadata.volume.NamesModel.Node;
import org.weft.metadata.volume.NamesModel.User;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;

/**
 * Access control lists of a node in {@link NamesModel}, after the text of POSIX 1003.1e: two maps
 * from "user:bob" to rights. Where there is a mask, the mode's group bits are it.
 */
final class NamesModelAcl {
  /** Owning group and names of the access list; null: the mode alone counts. */
  TreeMap<String, Integer> access;

  /** The whole default list, mask and all; null: there is none. */
  TreeMap<String, Integer> defaults;

  /** The steps of the access check, one after the other. */
  static boolean may(Node node, User user, int wanted) {
    int groupBits = node.mode >> 3 & 7;
    if (user.name().equals(node.owner)) {
      return has(node.mode >> 6, wanted);
    }
    NamesModelAcl acl = node.acl;
    if (acl.access == null) {
      return has(user.groups().contains(node.group) ? groupBits : node.mode, wanted);
    }
    Integer named = acl.access.get("user:" + user.name());
    if (named != null) {
      return has(named, wanted) && has(groupBits, wanted);
    }
    long matching = 0;
    long granting = 0;
    for (String group : user.groups()) {
      Integer byName = acl.access.get("group:" + group);
      if (byName != null) {
        matching++;
        granting += has(byName, wanted) ? 1 : 0;
      }
      if (group.equals(node.group)) {
        matching++;
        granting += has(acl.access.get("group:"), wanted) ? 1 : 0;
      }
    }
    if (matching > 0) {
      return granting > 0 && has(groupBits, wanted);
    }
    return has(node.mode, wanted);
  }

  private static boolean has(int rights, int wanted) {
    return (rights & wanted) == wanted;
  }

  /** What a new node has of its directory, and its mode. */
  static void inherit(Node parent, Node made, int mode, int umask) {
    TreeMap<String, Integer> start = parent.acl.defaults;
    if (start == null) {
      made.mode &= ~umask;
      return;
    }
    int group = start.getOrDefault("mask:", start.get("group:")) & mode >> 3 & 7;
    int bits = (start.get("user:") & mode >> 6) << 6 | group << 3 | start.get("other:") & mode;
    made.mode = made.mode & ~0777 | bits;
    if (start.containsKey("mask:")) {
      made.acl.access = new TreeMap<>(start);
      made.acl.access.keySet().removeAll(List.of("user:", "mask:", "other:"));
    }
    if (made.directory) {
      made.acl.defaults = new TreeMap<>(start);
    }
  }

  /** Whether the change can be; nothing is changed if it cannot. */
  static boolean change(Node node, AclChange change, List<AclEntry> entries) {
    NamesModelAcl acl = node.acl;
    boolean setsDefault =
        change != AclChange.REMOVE_ENTRIES
            && entries.stream().anyMatch(entry -> entry.scope() == AclScope.DEFAULT);
    if (setsDefault && !node.directory) {
      return false;
    }
    if (change == AclChange.REMOVE_ALL) {
      if (acl.access != null) {
        node.mode = node.mode & ~070 | acl.access.get("group:") << 3;
      }
      acl.access = null;
      acl.defaults = null;
      return true;
    }
    TreeMap<String, Integer> whole = new TreeMap<>();
    whole.put("group:", node.mode >> 3 & 7);
    if (acl.access != null) {
      whole.put("mask:", node.mode >> 3 & 7);
      whole.putAll(acl.access);
    }
    whole.put("user:", node.mode >> 6 & 7);
    whole.put("other:", node.mode & 7);
    TreeMap<String, Integer> access = changed(whole, AclScope.ACCESS, change, entries);
    node.mode =
        node.mode & ~0777
            | access.get("user:") << 6
            | access.getOrDefault("mask:", access.get("group:")) << 3
            | access.get("other:");
    TreeMap<String, Integer> before =
        acl.defaults == null || change == AclChange.REMOVE_DEFAULT ? new TreeMap<>() : acl.defaults;
    TreeMap<String, Integer> defaults = changed(before, AclScope.DEFAULT, change, entries);
    if (!defaults.isEmpty()) {
      for (String base : List.of("user:", "group:", "other:")) {
        defaults.putIfAbsent(base, access.get(base));
      }
      if (entries.stream().anyMatch(entry -> entry.scope() == AclScope.DEFAULT)) {
        mask(defaults, AclScope.DEFAULT, change, entries, before.equals(defaults));
      }
    }
    acl.defaults = defaults.isEmpty() ? null : defaults;
    acl.access = access.containsKey("mask:") ? access : null;
    access.keySet().removeAll(List.of("user:", "mask:", "other:"));
    return true;
  }

  private static TreeMap<String, Integer> changed(
      TreeMap<String, Integer> before, AclScope scope, AclChange change, List<AclEntry> entries) {
    TreeMap<String, Integer> after = new TreeMap<>(before);
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
      TreeMap<String, Integer> list,
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
    return "acl " + access + " default " + defaults;
  }
}
