package org.weft.metadata.volume;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;

/**
 * A file system in a few maps, as simple as it can be: what {@link VolumeMachine} is compared with.
 * Every operation answers with null or the error that POSIX asks for.
 */
final class NamesModel {
  /** A user, as sessions state it. */
  record User(String name, List<String> groups) {
    boolean isSuper() {
      return name.equals(TestVolume.SUPERUSER);
    }
  }

  /** A file, directory or symbolic link. */
  static final class Node {
    final boolean directory;

    /** Of a symbolic link; null for others. */
    final String target;

    /** Names of a file or link. */
    int names = 1;

    int readers;
    final TreeMap<String, String> xattrs = new TreeMap<>();
    final NamesModelAcl acl = new NamesModelAcl();

    /** How new files of a directory are cut, and how a file is. */
    String layout;

    int mode;
    String owner;
    String group;
    long size;
    boolean beingWritten;
    Node parent;
    final TreeMap<String, Node> children = new TreeMap<>();

    Node(boolean directory, String target, int mode, String owner, String group, Node parent) {
      this.directory = directory;
      this.target = target;
      this.layout = parent == null ? "" : parent.layout;
      if (!directory) {
        this.layout = target != null || !parent.layout.isEmpty() ? parent.layout : "4+1";
      }
      this.mode = mode;
      this.owner = owner;
      this.group = group;
      this.parent = parent;
    }

    /** It is there although nothing leads to it. */
    boolean isOrphan() {
      return names == 0 && (beingWritten || readers > 0);
    }
  }

  /** A refusal inside the model. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final ErrorCode code;

    Refusal(ErrorCode code) {
      super(code.name(), null, false, false);
      this.code = code;
    }
  }

  @FunctionalInterface
  private interface Body {
    void run() throws Refusal;
  }

  private Node created;
  private Node opened;
  private final Node root = new Node(true, null, 0755, TestVolume.SUPERUSER, "supergroup", null);

  private static ErrorCode outcome(Body body) {
    try {
      body.run();
      return null;
    } catch (Refusal e) {
      return e.code;
    }
  }

  private static void require(boolean holds, ErrorCode otherwise) throws Refusal {
    if (!holds) {
      throw new Refusal(otherwise);
    }
  }

  private static boolean may(Node node, User user, int wanted) {
    return user.isSuper() || NamesModelAcl.may(node, user, wanted);
  }

  private static void requirePassable(Node node, User user) throws Refusal {
    require(node.directory, ErrorCode.NOT_DIRECTORY);
    require(may(node, user, 1), ErrorCode.PERMISSION_DENIED);
  }

  private Node walk(List<String> names, User user) throws Refusal {
    return walk(root, names, true, user, new int[1]);
  }

  private Node walkNoFollow(List<String> names, User user) throws Refusal {
    return walk(root, names, false, user, new int[1]);
  }

  /**
   * @param links how many links were followed so far
   */
  private Node walk(Node from, List<String> names, boolean followLast, User user, int[] links)
      throws Refusal {
    Node current = from;
    for (int index = 0; index < names.size(); index++) {
      requirePassable(current, user);
      boolean mayFollow = followLast || index < names.size() - 1;
      current = next(current, names.get(index), mayFollow, user, links);
      require(current != null, ErrorCode.NOT_FOUND);
    }
    return current;
  }

  /** Null if there is none. */
  private Node next(Node directory, String name, boolean follow, User user, int[] links)
      throws Refusal {
    if (name.equals(".")) {
      return directory;
    }
    if (name.equals("..")) {
      return directory.parent == null ? directory : directory.parent;
    }
    Node found = directory.children.get(name);
    if (found == null || found.target == null || !follow) {
      return found;
    }
    require(++links[0] <= 40, ErrorCode.LOOP);
    return walk(base(directory, found), split(found.target), true, user, links);
  }

  private Node base(Node directory, Node link) {
    return link.target.startsWith("/") ? root : directory;
  }

  private static List<String> split(String target) {
    List<String> names = new ArrayList<>();
    for (String name : target.split("/")) {
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    if (target.endsWith("/")) {
      names.add(".");
    }
    return names;
  }

  /** A directory and a name in it. */
  private record Spot(Node parent, String name) {
    Node node() {
      return parent.children.get(name);
    }
  }

  private Spot spot(List<String> names, User user) throws Refusal {
    return spot(names, user, false, null);
  }

  /**
   * @param umask not null: what is missing above the path is made with it
   */
  private Spot spot(List<String> names, User user, boolean follow, Integer umask) throws Refusal {
    require(!names.isEmpty(), ErrorCode.INVALID_ARGUMENT);
    return spot(root, names, user, follow, umask, new int[1]);
  }

  private Spot spot(
      Node from, List<String> names, User user, boolean follow, Integer umask, int[] links)
      throws Refusal {
    Node current = from;
    for (String name : names.subList(0, names.size() - 1)) {
      requirePassable(current, user);
      Node next = next(current, name, true, user, links);
      if (next == null && umask != null) {
        require(may(current, user, 2), ErrorCode.PERMISSION_DENIED);
        next = newNode(current, true, 0777, umask & ~0300, user);
        next.mode |= 0300;
        current.children.put(name, next);
      }
      require(next != null, ErrorCode.NOT_FOUND);
      current = next;
    }
    requirePassable(current, user);
    String name = last(names);
    require(!name.equals(".") && !name.equals(".."), ErrorCode.IS_DIRECTORY);
    Node there = current.children.get(name);
    if (follow && there != null && there.target != null) {
      require(++links[0] <= 40, ErrorCode.LOOP);
      return spot(base(current, there), split(there.target), user, true, null, links);
    }
    return new Spot(current, name);
  }

  private static String last(List<String> names) {
    return names.get(names.size() - 1);
  }

  private static void requireSticky(Node parent, Node child, User user) throws Refusal {
    boolean mayNot =
        (parent.mode & 01000) != 0
            && !user.isSuper()
            && !user.name().equals(child.owner)
            && !user.name().equals(parent.owner);
    require(!mayNot, ErrorCode.PERMISSION_DENIED);
  }

  private static Node newNode(Node parent, boolean directory, int mode, int umask, User user) {
    String group = parent.group;
    int given = directory ? mode | parent.mode & 02000 : mode;
    if (!directory && !user.isSuper() && !user.groups().contains(group)) {
      given &= ~02000;
    }
    Node made = new Node(directory, null, given, user.name(), group, parent);
    NamesModelAcl.inherit(parent, made, mode, umask);
    return made;
  }

  ErrorCode stat(List<String> names, User user) {
    return outcome(() -> walk(names, user));
  }

  ErrorCode list(List<String> names, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(node.directory, ErrorCode.NOT_DIRECTORY);
          require(may(node, user, 4), ErrorCode.PERMISSION_DENIED);
        });
  }

  /** The file that was opened last. */
  Node opened() {
    return opened;
  }

  ErrorCode open(List<String> names, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          require(may(node, user, 4), ErrorCode.PERMISSION_DENIED);
          node.readers++;
          opened = node;
        });
  }

  ErrorCode lstat(List<String> names, User user) {
    return outcome(() -> walkNoFollow(names, user));
  }

  ErrorCode mkdir(List<String> names, int mode, int umask, boolean parents, User user) {
    return outcome(
        () -> {
          if (names.isEmpty()) {
            require(parents, ErrorCode.EXISTS);
            return;
          }
          Spot spot = spot(names, user, false, parents ? umask : null);
          if (spot.node() != null) {
            require(parents, ErrorCode.EXISTS);
            ErrorCode dangling = outcome(() -> walk(names, user));
            require(dangling != ErrorCode.NOT_FOUND, ErrorCode.EXISTS);
            require(walk(names, user).directory, ErrorCode.EXISTS);
            return;
          }
          require(may(spot.parent(), user, 2), ErrorCode.PERMISSION_DENIED);
          spot.parent().children.put(spot.name(), newNode(spot.parent(), true, mode, umask, user));
        });
  }

  /** The file that was made last. */
  Node created() {
    return created;
  }

  ErrorCode create(
      List<String> names, int mode, int umask, boolean overwrite, boolean parents, User user) {
    return outcome(
        () -> {
          Spot spot = spot(names, user, overwrite, parents ? umask : null);
          Node existing = spot.node();
          if (existing != null) {
            require(overwrite, ErrorCode.EXISTS);
            require(!existing.directory, ErrorCode.IS_DIRECTORY);
            require(may(existing, user, 2), ErrorCode.PERMISSION_DENIED);
          }
          require(may(spot.parent(), user, 2), ErrorCode.PERMISSION_DENIED);
          if (existing != null) {
            requireSticky(spot.parent(), existing, user);
            existing.names--;
            if (existing.names == 0) {
              existing.beingWritten = false;
            }
          }
          created = newNode(spot.parent(), false, mode, umask, user);
          created.beingWritten = true;
          spot.parent().children.put(spot.name(), created);
        });
  }

  ErrorCode symlink(String target, List<String> names, User user) {
    return outcome(
        () -> {
          Spot spot = spot(names, user);
          require(spot.node() == null, ErrorCode.EXISTS);
          require(may(spot.parent(), user, 2), ErrorCode.PERMISSION_DENIED);
          Node parent = spot.parent();
          Node link = new Node(false, target, 0777, user.name(), parent.group, parent);
          link.size = target.getBytes(StandardCharsets.UTF_8).length;
          parent.children.put(spot.name(), link);
        });
  }

  ErrorCode link(List<String> existing, List<String> names, User user) {
    return outcome(
        () -> {
          Node node = walkNoFollow(existing, user);
          Spot spot = spot(names, user);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          require(spot.node() == null, ErrorCode.EXISTS);
          require(may(spot.parent(), user, 2), ErrorCode.PERMISSION_DENIED);
          node.names++;
          spot.parent().children.put(spot.name(), node);
        });
  }

  /**
   * @param value null to remove it
   */
  ErrorCode setXattr(List<String> names, String name, String value, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          boolean owns = user.isSuper() || user.name().equals(node.owner);
          boolean sticky = node.directory && (node.mode & 01000) != 0;
          boolean may = sticky ? owns : may(node, user, 2);
          require(user.isSuper() || name.startsWith("user.") && may, ErrorCode.PERMISSION_DENIED);
          require(value != null || node.xattrs.containsKey(name), ErrorCode.NOT_FOUND);
          if (value == null) {
            node.xattrs.remove(name);
          } else {
            node.xattrs.put(name, value);
          }
        });
  }

  ErrorCode changeAcl(List<String> names, AclChange change, List<AclEntry> entries, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(user.isSuper() || user.name().equals(node.owner), ErrorCode.PERMISSION_DENIED);
          require(NamesModelAcl.change(node, change, entries), ErrorCode.INVALID_ARGUMENT);
          boolean keepsSetgid =
              node.directory || user.isSuper() || user.groups().contains(node.group);
          node.mode = keepsSetgid ? node.mode : node.mode & ~02000;
        });
  }

  /**
   * @param layout "" for the default
   */
  ErrorCode setLayout(List<String> names, String layout, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(node.directory, ErrorCode.NOT_DIRECTORY);
          require(user.isSuper() || user.name().equals(node.owner), ErrorCode.PERMISSION_DENIED);
          node.layout = layout;
        });
  }

  /** Somebody closes a file, wherever it is now, if it has a name at all. */
  static void close(Node file, long size) {
    file.size = size;
    file.beingWritten = false;
  }

  ErrorCode unlink(List<String> names, User user) {
    return outcome(
        () -> {
          require(!names.isEmpty(), ErrorCode.IS_DIRECTORY);
          Node parent = spot(names, user).parent();
          Node node = parent.children.get(last(names));
          require(node != null, ErrorCode.NOT_FOUND);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          require(may(parent, user, 2), ErrorCode.PERMISSION_DENIED);
          requireSticky(parent, node, user);
          parent.children.remove(last(names));
          node.names--;
        });
  }

  ErrorCode rmdir(List<String> names, User user) {
    return outcome(
        () -> {
          Node parent = spot(names, user).parent();
          Node node = parent.children.get(last(names));
          require(node != null, ErrorCode.NOT_FOUND);
          require(node.directory, ErrorCode.NOT_DIRECTORY);
          require(may(parent, user, 2), ErrorCode.PERMISSION_DENIED);
          requireSticky(parent, node, user);
          require(node.children.isEmpty(), ErrorCode.NOT_EMPTY);
          parent.children.remove(last(names));
        });
  }

  ErrorCode rename(List<String> source, List<String> target, boolean replace, User user) {
    return outcome(
        () -> {
          Node from = spot(source, user).parent();
          Node node = from.children.get(last(source));
          require(node != null, ErrorCode.NOT_FOUND);
          Node to = spot(target, user).parent();
          Node existing = to.children.get(last(target));
          if (existing == node) {
            return;
          }
          require(may(from, user, 2), ErrorCode.PERMISSION_DENIED);
          requireSticky(from, node, user);
          require(may(to, user, 2), ErrorCode.PERMISSION_DENIED);
          for (Node above = to; above != null; above = above.parent) {
            require(above != node, ErrorCode.INVALID_ARGUMENT);
          }
          if (existing != null) {
            require(replace, ErrorCode.EXISTS);
            requireSticky(to, existing, user);
            require(!existing.directory || node.directory, ErrorCode.IS_DIRECTORY);
            require(existing.directory || !node.directory, ErrorCode.NOT_DIRECTORY);
            require(existing.children.isEmpty(), ErrorCode.NOT_EMPTY);
            existing.names--;
          }
          from.children.remove(last(source));
          to.children.put(last(target), node);
          node.parent = to;
        });
  }

  ErrorCode chmod(List<String> names, int mode, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(user.isSuper() || user.name().equals(node.owner), ErrorCode.PERMISSION_DENIED);
          boolean keepsSetgid =
              node.directory || user.isSuper() || user.groups().contains(node.group);
          node.mode = keepsSetgid ? mode : mode & ~02000;
        });
  }

  ErrorCode chgrp(List<String> names, String group, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(user.isSuper() || user.name().equals(node.owner), ErrorCode.PERMISSION_DENIED);
          require(
              user.isSuper() || group.equals(node.group) || user.groups().contains(group),
              ErrorCode.PERMISSION_DENIED);
          node.group = group;
          if (!user.isSuper() && !node.directory) {
            node.mode &= ~04000;
            node.mode = (node.mode & 010) != 0 ? node.mode & ~02000 : node.mode;
          }
        });
  }

  /** Every path with what is to be seen of it, sorted. */
  List<String> dump() {
    return new NamesModelDump().of(root);
  }
}
