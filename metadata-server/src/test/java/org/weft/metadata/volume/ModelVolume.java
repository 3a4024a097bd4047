package org.weft.metadata.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;

/**
 * A file system in a few maps, as simple as it can be: what {@link VolumeMachine} is compared with.
 * Every operation answers with null or the error that POSIX asks for.
 */
final class ModelVolume {
  /** A user, as sessions state it. */
  record User(String name, List<String> groups) {
    boolean isSuper() {
      return name.equals(TestVolume.SUPERUSER);
    }
  }

  /** A file or directory. */
  static final class Node {
    final boolean directory;
    int mode;
    String owner;
    String group;
    long size;
    boolean beingWritten;

    /** While it was being written. */
    boolean replaced;

    int cuts;
    boolean trim;
    int missing;
    Node parent;
    final TreeMap<String, Node> children = new TreeMap<>();

    Node(boolean directory, int mode, String owner, String group, Node parent) {
      this.directory = directory;
      this.mode = mode;
      this.owner = owner;
      this.group = group;
      this.parent = parent;
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

  private final Node root = new Node(true, 0755, TestVolume.SUPERUSER, "supergroup", null);

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
    if (user.isSuper()) {
      return true;
    }
    int shift = 0;
    if (user.name().equals(node.owner)) {
      shift = 6;
    } else if (user.groups().contains(node.group)) {
      shift = 3;
    }
    return (node.mode >> shift & wanted) == wanted;
  }

  private static void requirePassable(Node node, User user) throws Refusal {
    require(node.directory, ErrorCode.NOT_DIRECTORY);
    require(may(node, user, 1), ErrorCode.PERMISSION_DENIED);
  }

  private Node walk(List<String> names, User user) throws Refusal {
    Node current = root;
    for (String name : names) {
      requirePassable(current, user);
      current = current.children.get(name);
      require(current != null, ErrorCode.NOT_FOUND);
    }
    return current;
  }

  private Node parentOf(List<String> names, User user) throws Refusal {
    require(!names.isEmpty(), ErrorCode.INVALID_ARGUMENT);
    Node parent = walk(names.subList(0, names.size() - 1), user);
    requirePassable(parent, user);
    return parent;
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

  private static Node newNode(Node parent, boolean directory, int mode, User user) {
    String group = parent.group;
    int given = directory ? mode | parent.mode & 02000 : mode;
    if (!directory && !user.isSuper() && !user.groups().contains(group)) {
      given &= ~02000;
    }
    return new Node(directory, given, user.name(), group, parent);
  }

  /** The node at the path for a superuser's eyes; null if there is none. */
  Node find(List<String> names) {
    Node current = root;
    for (String name : names) {
      current = current == null ? null : current.children.get(name);
    }
    return current;
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

  ErrorCode open(List<String> names, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          require(may(node, user, 4), ErrorCode.PERMISSION_DENIED);
        });
  }

  /** Makes what is missing above the path; nothing if that is refused. */
  private Node parentWithMissing(List<String> names, User user, int umask) throws Refusal {
    require(!names.isEmpty(), ErrorCode.INVALID_ARGUMENT);
    Node current = root;
    for (String name : names.subList(0, names.size() - 1)) {
      requirePassable(current, user);
      Node next = current.children.get(name);
      if (next == null) {
        require(may(current, user, 2), ErrorCode.PERMISSION_DENIED);
        next = newNode(current, true, 0777 & ~umask | 0300, user);
        current.children.put(name, next);
      }
      current = next;
    }
    requirePassable(current, user);
    return current;
  }

  private Node place(List<String> names, User user, int umask, boolean parents) throws Refusal {
    return parents ? parentWithMissing(names, user, umask) : parentOf(names, user);
  }

  ErrorCode mkdir(List<String> names, int mode, int umask, boolean parents, User user) {
    return outcome(
        () -> {
          if (names.isEmpty()) {
            require(parents, ErrorCode.EXISTS);
            return;
          }
          Node parent = place(names, user, umask, parents);
          Node existing = parent.children.get(last(names));
          if (existing != null) {
            require(parents && existing.directory, ErrorCode.EXISTS);
            return;
          }
          require(may(parent, user, 2), ErrorCode.PERMISSION_DENIED);
          parent.children.put(last(names), newNode(parent, true, mode & ~umask, user));
        });
  }

  ErrorCode create(
      List<String> names, int mode, int umask, boolean overwrite, boolean parents, User user) {
    return outcome(
        () -> {
          Node parent = place(names, user, umask, parents);
          Node existing = parent.children.get(last(names));
          if (existing != null) {
            require(overwrite, ErrorCode.EXISTS);
            require(!existing.directory, ErrorCode.IS_DIRECTORY);
            require(may(existing, user, 2), ErrorCode.PERMISSION_DENIED);
          }
          require(may(parent, user, 2), ErrorCode.PERMISSION_DENIED);
          if (existing != null) {
            requireSticky(parent, existing, user);
            existing.replaced = existing.beingWritten;
          }
          Node file = newNode(parent, false, mode & ~umask, user);
          file.beingWritten = true;
          parent.children.put(last(names), file);
        });
  }

  /** Nobody wrote the file before. */
  ErrorCode update(List<String> names, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          require(may(node, user, 2), ErrorCode.PERMISSION_DENIED);
          require(!node.beingWritten, ErrorCode.BEING_WRITTEN);
          node.beingWritten = true;
        });
  }

  /** Whether the user may take the file from its writer. */
  ErrorCode recoverLease(List<String> names, User user) {
    return outcome(
        () -> {
          Node node = walk(names, user);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          boolean owns = user.isSuper() || user.name().equals(node.owner);
          require(owns || may(node, user, 2), ErrorCode.PERMISSION_DENIED);
        });
  }

  /** What a writer does with the length of its file, wherever that is now. */
  static ErrorCode publish(Node file, long size) {
    return outcome(
        () -> {
          require(!file.trim || size <= file.size, ErrorCode.INVALID_ARGUMENT);
          file.size = Math.max(size, file.size);
        });
  }

  static ErrorCode setLength(Node file, long size) {
    if (size > file.size) {
      return publish(file, size);
    }
    if (size < file.size) {
      file.cuts++;
      file.trim = true;
      file.size = size;
    }
    return null;
  }

  static ErrorCode trimmed(Node file) {
    file.trim = false;
    return null;
  }

  /** The only parity unit is used up by the first component that is lost. */
  static ErrorCode loseComponent(Node file) {
    if (file.missing > 0) {
      return ErrorCode.TOO_MANY_LOST;
    }
    file.missing++;
    return null;
  }

  /** Somebody closes a file, wherever it is now, if it has a name at all. */
  static ErrorCode close(Node file, long size) {
    ErrorCode refusal = isNamed(file) ? publish(file, size) : null;
    file.beingWritten = refusal != null;
    return refusal;
  }

  /** Its writer is gone, and components know of so much; what it has cut is cut. */
  static void recovered(Node file, long size) {
    file.size = file.trim ? file.size : Math.max(size, file.size);
    file.trim = false;
    file.beingWritten = false;
  }

  private static boolean isNamed(Node file) {
    return file.parent.children.containsValue(file);
  }

  /** Components that are missing, of files that have a name. */
  int missing() {
    return missing(root);
  }

  private static int missing(Node node) {
    return node.missing + node.children.values().stream().mapToInt(ModelVolume::missing).sum();
  }

  /** As {@link #missing()}, of a file that has none and is still written. */
  static int missingNameless(Node file) {
    return isNamed(file) ? 0 : file.missing;
  }

  ErrorCode unlink(List<String> names, User user) {
    return outcome(
        () -> {
          require(!names.isEmpty(), ErrorCode.IS_DIRECTORY);
          Node parent = parentOf(names, user);
          Node node = parent.children.get(last(names));
          require(node != null, ErrorCode.NOT_FOUND);
          require(!node.directory, ErrorCode.IS_DIRECTORY);
          require(may(parent, user, 2), ErrorCode.PERMISSION_DENIED);
          requireSticky(parent, node, user);
          parent.children.remove(last(names));
        });
  }

  ErrorCode rmdir(List<String> names, User user) {
    return outcome(
        () -> {
          Node parent = parentOf(names, user);
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
          Node from = parentOf(source, user);
          Node node = from.children.get(last(source));
          require(node != null, ErrorCode.NOT_FOUND);
          Node to = parentOf(target, user);
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
    List<String> lines = new ArrayList<>();
    dump("/", root, lines);
    return lines;
  }

  private static void dump(String path, Node node, List<String> lines) {
    long directories = node.children.values().stream().filter(child -> child.directory).count();
    lines.add(
        line(
                path,
                node.directory,
                node.mode,
                node.owner,
                node.group,
                node.size,
                node.directory ? 2 + directories : 1,
                node.children.size())
            + contentLine(node.cuts, node.trim, node.missing));
    for (Map.Entry<String, Node> child : node.children.entrySet()) {
      dump((path.equals("/") ? "" : path) + "/" + child.getKey(), child.getValue(), lines);
    }
  }

  static String contentLine(int cuts, boolean trim, int missing) {
    return " cuts %d%s missing %d".formatted(cuts, trim ? " trim" : "", missing);
  }

  static String line(
      String path,
      boolean directory,
      int mode,
      String owner,
      String group,
      long size,
      long links,
      long entries) {
    return "%s %s %04o %s:%s size %d links %d entries %d"
        .formatted(path, directory ? "d" : "f", mode, owner, group, size, links, entries);
  }
}
