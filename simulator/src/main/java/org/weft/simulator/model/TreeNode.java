package org.weft.simulator.model;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A file, directory or symbolic link. Never changes.
 *
 * @param id the number of the operation that made it
 * @param objectId as the file system calls it; 0 while nobody was told
 * @param parent the directory it stands in; of a directory only
 * @param names how many lead to it
 * @param target of a symbolic link; else ""
 * @param children of a directory, by name
 * @param layout how files of a directory are cut; "" for the default
 */
public record TreeNode(
    int id,
    Kind kind,
    long objectId,
    int parent,
    int names,
    String target,
    SortedMap<String, Integer> children,
    SortedMap<String, String> xattrs,
    String layout) {

  static TreeNode made(int id, Kind kind, long objectId, int parent, String target, String layout) {
    return new TreeNode(
        id,
        kind,
        objectId,
        parent,
        1,
        target,
        Collections.emptySortedMap(),
        Collections.emptySortedMap(),
        layout);
  }

  public boolean isDirectory() {
    return kind == Kind.DIRECTORY;
  }

  boolean isSymlink() {
    return kind == Kind.SYMLINK;
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
    return new TreeNode(id, kind, objectId, parent, names, target, changed, xattrs, layout);
  }

  TreeNode withNames(int count) {
    return new TreeNode(id, kind, objectId, parent, count, target, children, xattrs, layout);
  }

  TreeNode withParent(int directory) {
    return new TreeNode(id, kind, objectId, directory, names, target, children, xattrs, layout);
  }

  TreeNode withObjectId(long known) {
    return new TreeNode(id, kind, known, parent, names, target, children, xattrs, layout);
  }

  TreeNode withLayout(String wanted) {
    return new TreeNode(id, kind, objectId, parent, names, target, children, xattrs, wanted);
  }

  TreeNode withXattr(String name, String value) {
    SortedMap<String, String> changed = new TreeMap<>(xattrs);
    if (value.isEmpty()) {
      changed.remove(name);
    } else {
      changed.put(name, value);
    }
    return new TreeNode(id, kind, objectId, parent, names, target, children, changed, layout);
  }
}
