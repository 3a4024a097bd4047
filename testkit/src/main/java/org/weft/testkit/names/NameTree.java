package org.weft.testkit.names;

import static org.weft.testkit.names.NameRefusal.require;
import static org.weft.testkit.names.TreePath.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.testkit.names.TreePath.Spot;

/**
 * The names of a file system at one moment, as simple as can be: what the real ones are compared
 * with. Never changes: each operation gives another tree, or the refusal that POSIX asks for. What
 * no name leads to is gone.
 */
public final class NameTree {
  /** The node of "/". */
  public static final int ROOT = -1;

  private static final long ROOT_OBJECT = 1;
  private static final int READ = 4;
  private static final int WRITE = 2;
  private static final int STICKY = 01000;

  private final Map<Integer, TreeNode> nodes;
  private int hash;

  private NameTree(Map<Integer, TreeNode> nodes) {
    this.nodes = nodes;
  }

  /** An empty root. */
  public static NameTree empty() {
    NodeRights rights = NodeRights.of(0755, NameUser.SUPERUSER.name(), "supergroup");
    Map<Integer, TreeNode> nodes = new TreeMap<>();
    nodes.put(ROOT, TreeNode.made(NodeMaking.of(ROOT, ROOT_OBJECT), NameKind.DIRECTORY, rights));
    return new NameTree(nodes);
  }

  private NameTree edited(UnaryOperator<Map<Integer, TreeNode>> edit) {
    return new NameTree(edit.apply(new TreeMap<>(nodes)));
  }

  private static void put(Map<Integer, TreeNode> changed, TreeNode node) {
    changed.put(node.id(), node);
  }

  /** The node that a path leads to. */
  public TreeNode find(String path, boolean followLast, NameUser user) throws NameRefusal {
    return new TreePath(this, user).walk(names(path), followLast);
  }

  /** A file that may be read. */
  public TreeNode open(String path, NameUser user) throws NameRefusal {
    TreeNode node = file(path, user);
    require(node.rights().may(user, READ), ErrorCode.PERMISSION_DENIED);
    return node;
  }

  /** A file or what a link to one leads to. */
  public TreeNode file(String path, NameUser user) throws NameRefusal {
    TreeNode node = find(path, true, user);
    require(!node.isDirectory(), ErrorCode.IS_DIRECTORY);
    return node;
  }

  /** A directory that may be listed. */
  public TreeNode list(String path, NameUser user) throws NameRefusal {
    TreeNode node = directory(path, user);
    require(node.rights().may(user, READ), ErrorCode.PERMISSION_DENIED);
    return node;
  }

  private TreeNode directory(String path, NameUser user) throws NameRefusal {
    TreeNode node = find(path, true, user);
    require(node.isDirectory(), ErrorCode.NOT_DIRECTORY);
    return node;
  }

  /** The node that an operation made; null if it is gone. */
  public TreeNode node(int id) {
    return nodes.get(id);
  }

  /** All nodes, in the order of the operations that made them. */
  public List<TreeNode> all() {
    return List.copyOf(nodes.values());
  }

  TreeNode child(TreeNode directory, String name) {
    Integer id = directory.children().get(name);
    return id == null ? null : node(id);
  }

  private TreeNode at(Spot spot) {
    return child(spot.parent(), spot.name());
  }

  private Spot spot(String path, NameUser user) throws NameRefusal {
    return new TreePath(this, user).spot(names(path), false);
  }

  private static void requireWritable(TreeNode node, NameUser user) throws NameRefusal {
    require(node.rights().may(user, WRITE), ErrorCode.PERMISSION_DENIED);
  }

  private static void requireOwner(TreeNode node, NameUser user) throws NameRefusal {
    require(node.rights().isOwner(user), ErrorCode.PERMISSION_DENIED);
  }

  /** From a sticky directory its owner, and that of the node, take a name alone. */
  private static void requireSticky(TreeNode parent, TreeNode child, NameUser user)
      throws NameRefusal {
    boolean sticky = (parent.rights().mode() & STICKY) != 0;
    require(
        !sticky || child.rights().isOwner(user) || parent.rights().isOwner(user),
        ErrorCode.PERMISSION_DENIED);
  }

  private void requireFree(Spot spot, NameUser user) throws NameRefusal {
    require(at(spot) == null, ErrorCode.EXISTS);
    requireWritable(spot.parent(), user);
  }

  /** A new directory. */
  public NameTree mkdir(String path, NodeMaking making) throws NameRefusal {
    require(!names(path).isEmpty(), ErrorCode.EXISTS);
    Spot spot = spot(path, making.user());
    requireFree(spot, making.user());
    return added(spot, directoryIn(spot.parent(), making));
  }

  private static TreeNode directoryIn(TreeNode parent, NodeMaking making) {
    return TreeNode.made(making, NameKind.DIRECTORY, parent.rights().inherited(true, making))
        .withParent(parent.id())
        .withLayout(parent.layout());
  }

  /** A directory with all that is missing above it; the same tree if it is there. */
  public NameTree mkdirs(String path, NodeMaking making) throws NameRefusal {
    if (names(path).isEmpty()) {
      return this;
    }
    NameTree above = withParents(path, making);
    if (above.at(above.spot(path, making.user())) == null) {
      return above.mkdir(path, making);
    }
    require(leadsToDirectory(path, making.user()), ErrorCode.EXISTS);
    return this;
  }

  private boolean leadsToDirectory(String path, NameUser user) throws NameRefusal {
    try {
      return find(path, true, user).isDirectory();
    } catch (NameRefusal refusal) {
      if (refusal.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw refusal;
    }
  }

  /** With the directories that are missing above a path; their ids follow that of what is made. */
  public NameTree withParents(String path, NodeMaking making) throws NameRefusal {
    List<String> names = names(path);
    NameTree tree = this;
    for (int depth = 1; depth < names.size(); depth++) {
      Spot spot = new TreePath(tree, making.user()).spot(names.subList(0, depth), false);
      if (tree.at(spot) == null) {
        requireWritable(spot.parent(), making.user());
        TreeNode made = directoryIn(spot.parent(), making.above(making.id() + depth));
        NodeRights rights = made.rights();
        tree = tree.added(spot, made.withRights(rights.withMode(rights.mode() | 0300)));
      }
    }
    return tree;
  }

  /** A new symbolic link. */
  public NameTree symlink(String target, String path, NodeMaking making) throws NameRefusal {
    Spot spot = spot(path, making.user());
    requireFree(spot, making.user());
    NodeRights rights = NodeRights.of(0777, making.user().name(), spot.parent().rights().group());
    return added(spot, TreeNode.made(making, NameKind.SYMLINK, rights).withTarget(target));
  }

  private NameTree added(Spot spot, TreeNode node) {
    return edited(
        changed -> {
          put(changed, node);
          put(changed, spot.parent().with(spot.name(), node.id()));
          return changed;
        });
  }

  /** A new file, in place of another where that may be. */
  public NameTree create(String path, boolean overwrite, NodeMaking making) throws NameRefusal {
    NameUser user = making.user();
    Spot spot = new TreePath(this, user).spot(names(path), overwrite);
    TreeNode existing = at(spot);
    if (existing != null) {
      require(overwrite, ErrorCode.EXISTS);
      require(!existing.isDirectory(), ErrorCode.IS_DIRECTORY);
      requireWritable(existing, user);
    }
    requireWritable(spot.parent(), user);
    if (existing != null) {
      requireSticky(spot.parent(), existing, user);
    }
    NameTree emptied = existing == null ? this : lessOneName(existing);
    NodeRights rights = spot.parent().rights().inherited(false, making);
    return emptied.added(spot, TreeNode.made(making, NameKind.FILE, rights));
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

  /** One more name of a file or link. */
  public NameTree link(String existing, String path, NameUser user) throws NameRefusal {
    TreeNode node = find(existing, false, user);
    Spot spot = spot(path, user);
    require(!node.isDirectory(), ErrorCode.IS_DIRECTORY);
    requireFree(spot, user);
    return added(spot, node.withNames(node.names() + 1));
  }

  /** One name less of a file or link. */
  public NameTree unlink(String path, NameUser user) throws NameRefusal {
    require(!names(path).isEmpty(), ErrorCode.IS_DIRECTORY);
    Spot spot = spot(path, user);
    TreeNode node = at(spot);
    require(node != null, ErrorCode.NOT_FOUND);
    require(!node.isDirectory(), ErrorCode.IS_DIRECTORY);
    requireWritable(spot.parent(), user);
    requireSticky(spot.parent(), node, user);
    return removed(spot, node);
  }

  /** Without an empty directory. */
  public NameTree rmdir(String path, NameUser user) throws NameRefusal {
    Spot spot = spot(path, user);
    TreeNode node = at(spot);
    require(node != null, ErrorCode.NOT_FOUND);
    require(node.isDirectory(), ErrorCode.NOT_DIRECTORY);
    requireWritable(spot.parent(), user);
    requireSticky(spot.parent(), node, user);
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

  /** Another name in place of one. */
  public NameTree rename(String source, String target, boolean replace, NameUser user)
      throws NameRefusal {
    Spot from = spot(source, user);
    TreeNode node = at(from);
    require(node != null, ErrorCode.NOT_FOUND);
    Spot to = spot(target, user);
    TreeNode existing = at(to);
    if (existing != null && existing.id() == node.id()) {
      return this;
    }
    requireWritable(from.parent(), user);
    requireSticky(from.parent(), node, user);
    requireWritable(to.parent(), user);
    for (int above = to.parent().id(); above != ROOT; above = node(above).parent()) {
      require(above != node.id(), ErrorCode.INVALID_ARGUMENT);
    }
    if (existing != null) {
      require(replace, ErrorCode.EXISTS);
      requireSticky(to.parent(), existing, user);
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
  public NameTree setXattr(String path, String name, String value, NameUser user)
      throws NameRefusal {
    TreeNode node = find(path, true, user);
    boolean sticky = node.isDirectory() && (node.rights().mode() & STICKY) != 0;
    boolean may = sticky ? node.rights().isOwner(user) : node.rights().may(user, WRITE);
    require(user.isSuper() || name.startsWith("user.") && may, ErrorCode.PERMISSION_DENIED);
    require(!value.isEmpty() || node.xattrs().containsKey(name), ErrorCode.NOT_FOUND);
    return replaced(node.withXattr(name, value));
  }

  /** Says how files of a directory are cut. */
  public NameTree setLayout(String path, String layout, NameUser user) throws NameRefusal {
    TreeNode node = directory(path, user);
    requireOwner(node, user);
    return replaced(node.withLayout(layout));
  }

  /** Changes access control lists. */
  public NameTree changeAcl(String path, AclChange change, List<AclEntry> entries, NameUser user)
      throws NameRefusal {
    TreeNode node = find(path, true, user);
    requireOwner(node, user);
    NodeRights changed =
        node.rights()
            .changed(change, entries, node.isDirectory())
            .orElseThrow(() -> new NameRefusal(ErrorCode.INVALID_ARGUMENT));
    return replaced(node.withRights(changed.settableBy(user, node.isDirectory())));
  }

  /** Sets a mode. */
  public NameTree chmod(String path, int mode, NameUser user) throws NameRefusal {
    TreeNode node = find(path, true, user);
    requireOwner(node, user);
    return replaced(
        node.withRights(node.rights().withMode(mode).settableBy(user, node.isDirectory())));
  }

  /** Sets a group. */
  public NameTree chgrp(String path, String group, NameUser user) throws NameRefusal {
    TreeNode node = find(path, true, user);
    requireOwner(node, user);
    boolean mayGive =
        user.isSuper() || group.equals(node.rights().group()) || user.groups().contains(group);
    require(mayGive, ErrorCode.PERMISSION_DENIED);
    NodeRights given = node.rights().withGroup(group);
    return replaced(
        node.withRights(user.isSuper() || node.isDirectory() ? given : given.withoutSetIds()));
  }

  /** A client was told what the file system calls a node. */
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
