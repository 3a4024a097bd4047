package org.weft.testkit.names;

import static org.weft.testkit.names.NameRefusal.require;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.protocol.error.ErrorCode;

/** One way of a user through a tree, on which so many links are followed at most. */
final class TreePath {
  private static final int MAX_LINKS = 40;
  private static final int EXECUTE = 1;

  /** A directory and a name in it. */
  record Spot(TreeNode parent, String name) {}

  private final NameTree tree;
  private final NameUser user;
  private int links;

  TreePath(NameTree tree, NameUser user) {
    this.tree = tree;
    this.user = user;
  }

  static List<String> names(String path) {
    List<String> names = new ArrayList<>();
    Arrays.stream(path.split("/")).filter(name -> !name.isEmpty()).forEach(names::add);
    return names;
  }

  TreeNode walk(List<String> names, boolean followLast) throws NameRefusal {
    return walk(root(), names, followLast);
  }

  private TreeNode root() {
    return tree.node(NameTree.ROOT);
  }

  private TreeNode walk(TreeNode from, List<String> names, boolean followLast) throws NameRefusal {
    TreeNode current = from;
    for (int index = 0; index < names.size(); index++) {
      requirePassable(current);
      current = next(current, names.get(index), followLast || index < names.size() - 1);
      require(current != null, ErrorCode.NOT_FOUND);
    }
    return current;
  }

  private void requirePassable(TreeNode node) throws NameRefusal {
    require(node.isDirectory(), ErrorCode.NOT_DIRECTORY);
    require(node.rights().may(user, EXECUTE), ErrorCode.PERMISSION_DENIED);
  }

  /** Null if there is none. */
  private TreeNode next(TreeNode directory, String name, boolean follow) throws NameRefusal {
    if (name.equals(".")) {
      return directory;
    }
    if (name.equals("..")) {
      return tree.node(directory.parent());
    }
    TreeNode found = tree.child(directory, name);
    if (found == null || !found.isSymlink() || !follow) {
      return found;
    }
    return walk(base(directory, found), followed(found), true);
  }

  private TreeNode base(TreeNode directory, TreeNode link) {
    return link.target().startsWith("/") ? root() : directory;
  }

  /** Where a link leads: one that ends in a slash leads to a directory. */
  private List<String> followed(TreeNode link) throws NameRefusal {
    require(++links <= MAX_LINKS, ErrorCode.LOOP);
    List<String> names = names(link.target());
    if (link.target().endsWith("/")) {
      names.add(".");
    }
    return names;
  }

  /** Where a name is or may be made. */
  Spot spot(List<String> names, boolean follow) throws NameRefusal {
    return spot(root(), names, follow);
  }

  private Spot spot(TreeNode from, List<String> names, boolean follow) throws NameRefusal {
    require(!names.isEmpty(), ErrorCode.INVALID_ARGUMENT);
    TreeNode parent = walk(from, names.subList(0, names.size() - 1), true);
    requirePassable(parent);
    String name = names.get(names.size() - 1);
    require(!name.equals(".") && !name.equals(".."), ErrorCode.IS_DIRECTORY);
    TreeNode there = tree.child(parent, name);
    if (follow && there != null && there.isSymlink()) {
      return spot(base(parent, there), followed(there), true);
    }
    return new Spot(parent, name);
  }
}
