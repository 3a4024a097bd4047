package org.weft.testkit.names;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A file, directory or symbolic link. Never changes.
 *
 * @param id the number of the operation that made it
 * @param objectId as the file system calls it; 0 while no client was told
 * @param parent the directory it stands in; of a directory only
 * @param names how many lead to it
 * @param target of a symbolic link; else ""
 * @param children of a directory, by name
 * @param layout how files of a directory are cut; "" for the default
 */
public record TreeNode(
    int id,
    NameKind kind,
    long objectId,
    int parent,
    int names,
    String target,
    SortedMap<String, Integer> children,
    SortedMap<String, String> xattrs,
    String layout,
    NodeRights rights) {

  /** One that was just made, with the rights of its maker; no directory has it yet. */
  static TreeNode made(NodeMaking making, NameKind kind, NodeRights rights) {
    return new TreeNode(
        making.id(),
        kind,
        making.objectId(),
        NameTree.ROOT,
        1,
        "",
        Collections.emptySortedMap(),
        Collections.emptySortedMap(),
        "",
        rights);
  }

  public boolean isDirectory() {
    return kind == NameKind.DIRECTORY;
  }

  public boolean isSymlink() {
    return kind == NameKind.SYMLINK;
  }

  TreeNode with(String name, int child) {
    SortedMap<String, Integer> changed = new TreeMap<>(children);
    changed.put(name, child);
    return withChildren(changed);
  }

  TreeNode without(String name) {
    SortedMap<String, Integer> changed = new TreeMap<>(children);
    changed.remove(name);
    return withChildren(changed);
  }

  private TreeNode withChildren(SortedMap<String, Integer> changed) {
    return new TreeNode(id, kind, objectId, parent, names, target, changed, xattrs, layout, rights);
  }

  TreeNode withNames(int count) {
    return new TreeNode(
        id, kind, objectId, parent, count, target, children, xattrs, layout, rights);
  }

  TreeNode withParent(int directory) {
    return new TreeNode(
        id, kind, objectId, directory, names, target, children, xattrs, layout, rights);
  }

  TreeNode withObjectId(long known) {
    return new TreeNode(id, kind, known, parent, names, target, children, xattrs, layout, rights);
  }

  TreeNode withTarget(String leadsTo) {
    return new TreeNode(
        id, kind, objectId, parent, names, leadsTo, children, xattrs, layout, rights);
  }

  TreeNode withLayout(String wanted) {
    return new TreeNode(
        id, kind, objectId, parent, names, target, children, xattrs, wanted, rights);
  }

  TreeNode withRights(NodeRights changed) {
    return new TreeNode(
        id, kind, objectId, parent, names, target, children, xattrs, layout, changed);
  }

  TreeNode withXattr(String name, String value) {
    SortedMap<String, String> changed = new TreeMap<>(xattrs);
    if (value.isEmpty()) {
      changed.remove(name);
    } else {
      changed.put(name, value);
    }
    return new TreeNode(
        id, kind, objectId, parent, names, target, children, changed, layout, rights);
  }
}
