package org.weft.metadata.volume;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.testkit.names.NameRefusal;
import org.weft.testkit.names.NameTree;
import org.weft.testkit.names.NameUser;
import org.weft.testkit.names.NodeMaking;
import org.weft.testkit.names.NodeRights;
import org.weft.testkit.names.TreeNode;

/**
 * What {@link VolumeMachine} is compared with: names as a {@link NameTree} has them, and what is to
 * be known of a file besides. Every operation answers with null or the error that POSIX asks for.
 */
final class ModelVolume {
  /** Ids between two operations: a file and the directories that are missing above it. */
  private static final int IDS = 10;

  /** A file or link; stays when its last name goes. */
  static final class FileState {
    final int id;

    /** How it is cut. */
    final String layout;

    long size;
    boolean beingWritten;
    int readers;
    int cuts;
    boolean trim;
    int missing;

    FileState(int id, String layout) {
      this.id = id;
      this.layout = layout;
    }
  }

  private NameTree tree = NameTree.empty();
  private final Map<Integer, FileState> files = new TreeMap<>();
  private int nextId = IDS;
  private FileState created;
  private FileState opened;

  @FunctionalInterface
  private interface Step {
    NameTree run() throws NameRefusal;
  }

  private ErrorCode outcome(Step step) {
    try {
      tree = step.run();
      return null;
    } catch (NameRefusal refusal) {
      return refusal.code();
    }
  }

  private static String path(List<String> names) {
    return "/" + String.join("/", names);
  }

  private NodeMaking making(NameUser user, int mode, int umask) {
    NodeMaking making = new NodeMaking(nextId, 0, user, mode, umask);
    nextId += IDS;
    return making;
  }

  private static void require(boolean holds, ErrorCode otherwise) throws NameRefusal {
    NameRefusal.require(holds, otherwise);
  }

  /** The file at the path for a superuser's eyes, which must be there. */
  FileState find(List<String> names) {
    try {
      return files.get(tree.file(path(names), NameUser.SUPERUSER).id());
    } catch (NameRefusal refusal) {
      throw new AssertionError(names + " is no file", refusal);
    }
  }

  ErrorCode stat(List<String> names, NameUser user) {
    return looked(() -> tree.find(path(names), true, user));
  }

  ErrorCode lstat(List<String> names, NameUser user) {
    return looked(() -> tree.find(path(names), false, user));
  }

  ErrorCode list(List<String> names, NameUser user) {
    return looked(() -> tree.list(path(names), user));
  }

  @FunctionalInterface
  private interface Look {
    TreeNode run() throws NameRefusal;
  }

  private ErrorCode looked(Look look) {
    return outcome(
        () -> {
          var unused = look.run();
          return tree;
        });
  }

  /** The file that was opened last for reading. */
  FileState opened() {
    return opened;
  }

  ErrorCode open(List<String> names, NameUser user) {
    return outcome(
        () -> {
          opened = files.get(tree.open(path(names), user).id());
          opened.readers++;
          return tree;
        });
  }

  ErrorCode mkdir(List<String> names, int mode, int umask, boolean parents, NameUser user) {
    NodeMaking making = making(user, mode, umask);
    return outcome(
        () -> parents ? tree.mkdirs(path(names), making) : tree.mkdir(path(names), making));
  }

  /** The file that was made last. */
  FileState created() {
    return created;
  }

  /** The writer of a file that is replaced, and has no other name, is shut out. */
  ErrorCode create(
      List<String> names, int mode, int umask, boolean overwrite, boolean parents, NameUser user) {
    NodeMaking making = making(user, mode, umask);
    NameTree before = tree;
    return outcome(
        () -> {
          NameTree above = parents ? tree.withParents(path(names), making) : tree;
          NameTree after = above.create(path(names), overwrite, making);
          for (FileState file : files.values()) {
            file.beingWritten &= before.node(file.id) == null || after.node(file.id) != null;
          }
          created = new FileState(making.id(), layoutAbove(making.id(), after));
          created.beingWritten = true;
          files.put(created.id, created);
          return after;
        });
  }

  private static String layoutAbove(int id, NameTree tree) {
    return tree.all().stream()
        .filter(node -> node.children().containsValue(id))
        .map(TreeNode::layout)
        .filter(layout -> !layout.isEmpty())
        .findFirst()
        .orElse("4+1");
  }

  ErrorCode symlink(String target, List<String> names, NameUser user) {
    NodeMaking making = making(user, 0777, 0);
    return outcome(() -> tree.symlink(target, path(names), making));
  }

  ErrorCode link(List<String> existing, List<String> names, NameUser user) {
    return outcome(() -> tree.link(path(existing), path(names), user));
  }

  /**
   * Sets or removes an extended attribute.
   *
   * @param value "" to remove it
   */
  ErrorCode setXattr(List<String> names, String name, String value, NameUser user) {
    return outcome(() -> tree.setXattr(path(names), name, value, user));
  }

  ErrorCode changeAcl(List<String> names, AclChange change, List<AclEntry> entries, NameUser user) {
    return outcome(() -> tree.changeAcl(path(names), change, entries, user));
  }

  /**
   * Says how files of a directory are cut.
   *
   * @param layout "" for the default
   */
  ErrorCode setLayout(List<String> names, String layout, NameUser user) {
    return outcome(() -> tree.setLayout(path(names), layout, user));
  }

  ErrorCode unlink(List<String> names, NameUser user) {
    return outcome(() -> tree.unlink(path(names), user));
  }

  ErrorCode rmdir(List<String> names, NameUser user) {
    return outcome(() -> tree.rmdir(path(names), user));
  }

  ErrorCode rename(List<String> source, List<String> target, boolean replace, NameUser user) {
    return outcome(() -> tree.rename(path(source), path(target), replace, user));
  }

  ErrorCode chmod(List<String> names, int mode, NameUser user) {
    return outcome(() -> tree.chmod(path(names), mode, user));
  }

  ErrorCode chgrp(List<String> names, String group, NameUser user) {
    return outcome(() -> tree.chgrp(path(names), group, user));
  }

  /** Opens a file to write it, which no client does so far. */
  ErrorCode update(List<String> names, NameUser user) {
    return outcome(
        () -> {
          TreeNode node = tree.file(path(names), user);
          require(node.rights().may(user, 2), ErrorCode.PERMISSION_DENIED);
          FileState file = files.get(node.id());
          require(!file.beingWritten, ErrorCode.BEING_WRITTEN);
          file.beingWritten = true;
          return tree;
        });
  }

  /** Whether the user may take the file from its writer. */
  ErrorCode recoverLease(List<String> names, NameUser user) {
    return outcome(
        () -> {
          NodeRights rights = tree.file(path(names), user).rights();
          require(rights.isOwner(user) || rights.may(user, 2), ErrorCode.PERMISSION_DENIED);
          return tree;
        });
  }

  /** What a writer does with the length of its file, wherever that is now. */
  static ErrorCode publish(FileState file, long size) {
    if (file.trim && size > file.size) {
      return ErrorCode.INVALID_ARGUMENT;
    }
    file.size = Math.max(size, file.size);
    return null;
  }

  static ErrorCode setLength(FileState file, long size) {
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

  static ErrorCode trimmed(FileState file) {
    file.trim = false;
    return null;
  }

  /** The only parity unit is used up by the first component that is lost. */
  static ErrorCode loseComponent(FileState file) {
    if (file.missing > 0) {
      return ErrorCode.TOO_MANY_LOST;
    }
    file.missing++;
    return null;
  }

  /** Its writer closes a file, wherever it is now, if it has a name at all. */
  ErrorCode close(FileState file, long size) {
    ErrorCode refusal = isNamed(file) ? publish(file, size) : null;
    file.beingWritten = refusal != null;
    return refusal;
  }

  /** Its writer is gone, and components know of so much; what it has cut is cut. */
  static void recovered(FileState file, long size) {
    file.size = file.trim ? file.size : Math.max(size, file.size);
    file.trim = false;
    file.beingWritten = false;
  }

  private boolean isNamed(FileState file) {
    return tree.node(file.id) != null;
  }

  /** True if it is there although no name leads to it. */
  boolean isOrphan(FileState file) {
    return !isNamed(file) && (file.beingWritten || file.readers > 0);
  }

  /** Components that are missing, of files that are there. */
  int missing() {
    return files.values().stream()
        .filter(file -> isNamed(file) || isOrphan(file))
        .mapToInt(file -> file.missing)
        .sum();
  }

  /** Every path with what is to be seen of it, sorted. */
  List<String> dump() {
    List<String> lines = new ArrayList<>();
    dump("/", tree.node(NameTree.ROOT), lines);
    return lines;
  }

  private void dump(String path, TreeNode node, List<String> lines) {
    List<TreeNode> children = node.children().values().stream().map(tree::node).toList();
    long directories = children.stream().filter(TreeNode::isDirectory).count();
    FileState file = files.getOrDefault(node.id(), new FileState(node.id(), node.layout()));
    lines.add(
        new Line(
                path,
                node.kind().name(),
                node.isSymlink()
                    ? node.target().getBytes(StandardCharsets.UTF_8).length
                    : file.size,
                node.isDirectory() ? 2 + directories : node.names(),
                children.size(),
                node.target(),
                file.layout,
                file.cuts + (file.trim ? " trim" : ""),
                file.missing,
                node.xattrs(),
                node.rights())
            .toString());
    node.children()
        .forEach(
            (name, child) ->
                dump((path.equals("/") ? "" : path) + "/" + name, tree.node(child), lines));
  }

  /** What is to be seen under a path, of the model as of the volume. */
  record Line(
      String path,
      String kind,
      long size,
      long links,
      long entries,
      String target,
      String layout,
      String cuts,
      int missing,
      Map<String, String> xattrs,
      NodeRights rights) {}
}
