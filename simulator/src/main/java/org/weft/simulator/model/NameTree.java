package org.weft.simulator.model;

import static org.weft.simulator.model.NameRefusal.require;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.weft.protocol.error.ErrorCode;

/**
 * The names of a file system at one moment, for a user who may do everything. Never changes: each
 * operation gives another tree, or the refusal that POSIX asks for. What no name leads to is gone.
 */
public final class NameTree {
  /** The node of "/". */
  public static final int ROOT = -1;

  private static final long ROOT_OBJECT = 1;
  private static final int MOST_LINKS = 40;

  private final Map<Integer, TreeNode> nodes;
  private int hash;

  private NameTree(Map<Integer, TreeNode> nodes) {
    this.nodes = nodes;
  }

  /** An empty root. */
  public static NameTree empty() {
    Map<Integer, TreeNode> nodes = new TreeMap<>();
    nodes.put(ROOT, TreeNode.made(ROOT, Kind.DIRECTORY, ROOT_OBJECT, ROOT, "", ""));
    return new NameTree(nodes);
  }

  /** A directory and a name in it. */
  private record Spot(TreeNode parent, String name) {}

  private NameTree edited(UnaryOperator<Map<Integer, TreeNode>> edit) {
    return new NameTree(edit.apply(new TreeMap<>(nodes)));
  }

  private static void put(Map<Integer, TreeNode> changed, TreeNode node) {
    changed.put(node.id(), node);
  }

  /** The node that a path leads to. */
  public TreeNode find(String path, boolean followLast) throws NameRefusal {
    return walk(node(ROOT), names(path), followLast, new int[1]);
  }

  public TreeNode node(int id) {
    return nodes.get(id);
  }

  /** All nodes, in the order of the operations that made them. */
  public List<TreeNode> all() {
    return List.copyOf(nodes.values());
  }

  private static List<String> names(String path) {
    List<String> names = new ArrayList<>();
    Arrays.stream(path.split("/")).filter(name -> !name.isEmpty()).forEach(names::add);
    return names;
  }

  private TreeNode walk(TreeNode from, List<String> names, boolean followLast, int[] links)
      throws NameRefusal {
    TreeNode current = from;
    for (int index = 0; index < names.size(); index++) {
      require(current.isDirectory(), ErrorCode.NOT_DIRECTORY);
      current = next(current, names.get(index), followLast || index < names.size() - 1, links);
      require(current != null, ErrorCode.NOT_FOUND);
    }
    return current;
  }

  /** Null if there is none. */
  private TreeNode next(TreeNode directory, String name, boolean follow, int[] links)
      throws NameRefusal {
    TreeNode found = child(directory, name);
    if (found == null || !found.isSymlink() || !follow) {
      return found;
    }
    require(++links[0] <= MOST_LINKS, ErrorCode.LOOP);
    return walk(base(directory, found), names(found.target()), true, links);
  }

  private TreeNode child(TreeNode directory, String name) {
    Integer id = directory.children().get(name);
    return id == null ? null : node(id);
  }

  private TreeNode base(TreeNode directory, TreeNode link) {
    return link.target().startsWith("/") ? node(ROOT) : directory;
  }

  private Spot spot(String path) throws NameRefusal {
    return spot(node(ROOT), names(path), false, new int[1]);
  }

  private Spot spot(TreeNode from, List<String> names, boolean follow, int[] links)
      throws NameRefusal {
    require(!names.isEmpty(), ErrorCode.INVALID_ARGUMENT);
    TreeNode parent = walk(from, names.subList(0, names.size() - 1), true, links);
    require(parent.isDirectory(), ErrorCode.NOT_DIRECTORY);
    String name = names.get(names.size() - 1);
    TreeNode there = child(parent, name);
    if (follow && there != null && there.isSymlink()) {
      require(++links[0] <= MOST_LINKS, ErrorCode.LOOP);
      return spot(base(parent, there), names(there.target()), true, links);
    }
    return new Spot(parent, name);
  }

  /**
   * A new directory, or a symbolic link where there is a target.
   *
   * @param id of the new node
   */
  public NameTree mkdir(String path, int id, long objectId) throws NameRefusal {
    Spot spot = spot(path);
    require(child(spot.parent(), spot.name()) == null, ErrorCode.EXISTS);
    return added(
        spot,
        TreeNode.made(
            id, Kind.DIRECTORY, objectId, spot.parent().id(), "", spot.parent().layout()));
  }

  public NameTree symlink(String target, String path, int id, long objectId) throws NameRefusal {
    Spot spot = spot(path);
    require(child(spot.parent(), spot.name()) == null, ErrorCode.EXISTS);
    return added(spot, TreeNode.made(id, Kind.SYMLINK, objectId, ROOT, target, ""));
  }

  private NameTree added(Spot spot, TreeNode node) {
    return edited(
        changed -> {
          put(changed, node);
          put(changed, spot.parent().with(spot.name(), node.id()));
          return changed;
        });
  }

  public NameTree create(String path, boolean overwrite, int id, long objectId) throws NameRefusal {
    Spot spot = spot(node(ROOT), names(path), overwrite, new int[1]);
    TreeNode existing = child(spot.parent(), spot.name());
    if (existing != null) {
      require(overwrite, ErrorCode.EXISTS);
      require(!existing.isDirectory(), ErrorCode.IS_DIRECTORY);
    }
    NameTree emptied = existing == null ? this : lessOneName(existing);
    return emptied.added(spot, TreeNode.made(id, Kind.FILE, objectId, ROOT, "", ""));
  }

  private NameTree lessOneName(TreeNode node) {
    return edited(
        changed -> {
          if (node.names() > 1) {
            put(changed, node.withNames(node.names() - 1));
          } else {
            changed.remove(node.id());
          }
          return changed;
        });
  }

  public NameTree link(String existing, String path) throws NameRefusal {
    TreeNode node = find(existing, false);
    Spot spot = spot(path);
    require(!node.isDirectory(), ErrorCode.IS_DIRECTORY);
    require(child(spot.parent(), spot.name()) == null, ErrorCode.EXISTS);
    return added(spot, node.withNames(node.names() + 1));
  }

  public NameTree unlink(String path) throws NameRefusal {
    require(!names(path).isEmpty(), ErrorCode.IS_DIRECTORY);
    Spot spot = spot(path);
    TreeNode node = child(spot.parent(), spot.name());
    require(node != null, ErrorCode.NOT_FOUND);
    require(!node.isDirectory(), ErrorCode.IS_DIRECTORY);
    return removed(spot, node);
  }

  public NameTree rmdir(String path) throws NameRefusal {
    Spot spot = spot(path);
    TreeNode node = child(spot.parent(), spot.name());
    require(node != null, ErrorCode.NOT_FOUND);
    require(node.isDirectory(), ErrorCode.NOT_DIRECTORY);
    require(node.children().isEmpty(), ErrorCode.NOT_EMPTY);
    return removed(spot, node);
  }

  private NameTree removed(Spot spot, TreeNode node) {
    return lessOneName(node)
        .edited(
            changed -> {
              put(changed, spot.parent().without(spot.name()));
              return changed;
            });
  }

  public NameTree rename(String source, String target, boolean replace) throws NameRefusal {
    Spot from = spot(source);
    TreeNode node = child(from.parent(), from.name());
    require(node != null, ErrorCode.NOT_FOUND);
    Spot to = spot(target);
    TreeNode existing = child(to.parent(), to.name());
    if (existing != null && existing.id() == node.id()) {
      return this;
    }
    for (int above = to.parent().id(); above != ROOT; above = node(above).parent()) {
      require(above != node.id(), ErrorCode.INVALID_ARGUMENT);
    }
    if (existing != null) {
      require(replace, ErrorCode.EXISTS);
      require(!existing.isDirectory() || node.isDirectory(), ErrorCode.IS_DIRECTORY);
      require(existing.isDirectory() || !node.isDirectory(), ErrorCode.NOT_DIRECTORY);
      require(existing.children().isEmpty(), ErrorCode.NOT_EMPTY);
    }
    NameTree emptied = existing == null ? this : lessOneName(existing);
    return emptied.edited(
        changed -> {
          put(changed, changed.get(from.parent().id()).without(from.name()));
          put(changed, changed.get(to.parent().id()).with(to.name(), node.id()));
          if (node.isDirectory()) {
            put(changed, changed.get(node.id()).withParent(to.parent().id()));
          }
          return changed;
        });
  }

  /**
   * Sets or removes an extended attribute.
   *
   * @param value "" to remove it
   */
  public NameTree setXattr(String path, String name, String value) throws NameRefusal {
    TreeNode node = find(path, true);
    require(!value.isEmpty() || node.xattrs().containsKey(name), ErrorCode.NOT_FOUND);
    return replaced(node.withXattr(name, value));
  }

  public NameTree setLayout(String path, String layout) throws NameRefusal {
    TreeNode node = find(path, true);
    require(node.isDirectory(), ErrorCode.NOT_DIRECTORY);
    return replaced(node.withLayout(layout));
  }

  /** Somebody was told what the file system calls a node. */
  public NameTree known(int id, long objectId) {
    return replaced(node(id).withObjectId(objectId));
  }

  private NameTree replaced(TreeNode node) {
    return edited(
        changed -> {
          put(changed, node);
          return changed;
        });
  }

  /** True if a node is called so. */
  public boolean knows(long objectId) {
    return nodes.values().stream().anyMatch(node -> node.objectId() == objectId);
  }

  /** Every path, sorted, with what it leads to. */
  public List<String> paths() {
    List<String> lines = new ArrayList<>();
    describe("", node(ROOT), lines);
    return lines;
  }

  private void describe(String path, TreeNode node, List<String> lines) {
    node.children()
        .forEach(
            (name, id) -> {
              TreeNode child = node(id);
              lines.add(
                  path
                      + "/"
                      + name
                      + " "
                      + child.kind()
                      + " of operation "
                      + id
                      + (child.objectId() == 0 ? "" : ", object " + child.objectId()));
              describe(path + "/" + name, child, lines);
            });
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NameTree tree
        && hashCode() == tree.hashCode()
        && nodes.equals(tree.nodes);
  }

  @Override
  public int hashCode() {
    if (hash == 0) {
      hash = Objects.hash(nodes);
    }
    return hash;
  }
}
