package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameKind;
import org.weft.testkit.names.NameRefusal;
import org.weft.testkit.names.NameTree;
import org.weft.testkit.names.TreeNode;

/** Names to do something with: mostly such as may be there. */
public final class Paths {
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "ä");
  static final int MAX_NAMES = NAMES.size();

  /** Names in directories at which all clients look again and again. */
  static final int CACHED_NAMES = 3;

  /** Files to which all clients are drawn where they work at the same place. */
  static final int MAX_HOT_NAMES = 2;

  private static final int MAX_DEPTH = 3;

  private final List<String> names;
  private NameTree known = NameTree.empty();
  private int made;
  private String wanted = "";
  private String doomed = "";

  /**
   * Paths of a few names.
   *
   * @param names how many different ones there are in a directory
   */
  Paths(int names) {
    this.names = NAMES.subList(0, Math.min(names, NAMES.size()));
  }

  /** A client got an answer that it was done. */
  void done(NameOperation operation, long objectId) {
    try {
      known = operation.on(known, ++made, objectId).after();
    } catch (NameRefusal unexpected) {
      // Something of unknown outcome came before: what is known here is only mostly right.
      made++;
    }
  }

  /** A path that may be there or not. */
  String any(RandomGenerator random) {
    if (!wanted.isEmpty() && random.nextInt(4) == 0) {
      return wanted;
    }
    List<String> directories = all(TreeNode::isDirectory, true);
    String directory = directories.get(random.nextInt(directories.size()));
    return directory + "/" + names.get(random.nextInt(names.size()));
  }

  /** One that no other client is drawn to. */
  String fleeting(RandomGenerator random) {
    return "/" + NAMES.get(MAX_HOT_NAMES + random.nextInt(MAX_NAMES - MAX_HOT_NAMES));
  }

  /** A file that others are to open as well, from now on. */
  public void wanted(String path) {
    wanted = path;
  }

  /** A file that a client is to remove. */
  public void doomed(String path) {
    doomed = path;
  }

  /** Takes such a file, for the first caller. */
  Optional<String> takeDoomed() {
    Optional<String> taken = doomed.isEmpty() ? Optional.empty() : Optional.of(doomed);
    doomed = "";
    return taken;
  }

  /** Mostly that of a file. */
  String file(RandomGenerator random) {
    if (!wanted.isEmpty() && random.nextBoolean()) {
      return wanted;
    }
    return one(random, node -> node.kind() != NameKind.DIRECTORY);
  }

  /** Mostly that of a directory; the root as well. */
  String directory(RandomGenerator random) {
    List<String> directories = all(TreeNode::isDirectory, true);
    String chosen = directories.get(random.nextInt(directories.size()));
    return chosen.isEmpty() ? "/" : chosen;
  }

  /** Mostly one that is there. */
  String existing(RandomGenerator random) {
    return one(random, node -> true);
  }

  private String one(RandomGenerator random, Predicate<TreeNode> wanted) {
    List<String> paths = all(wanted, false);
    return paths.isEmpty() || random.nextInt(8) == 0
        ? any(random)
        : paths.get(random.nextInt(paths.size()));
  }

  /** Paths of nodes of some kind; the root is "". */
  private List<String> all(Predicate<TreeNode> wanted, boolean root) {
    List<String> paths = new ArrayList<>();
    if (root) {
      paths.add("");
    }
    collect("", known.node(NameTree.ROOT), wanted, paths, root ? MAX_DEPTH - 1 : MAX_DEPTH);
    return paths;
  }

  private void collect(
      String path, TreeNode directory, Predicate<TreeNode> wanted, List<String> paths, int depth) {
    if (depth == 0) {
      return;
    }
    directory
        .children()
        .forEach(
            (name, id) -> {
              TreeNode child = known.node(id);
              if (Crowds.isCrowd(path + "/" + name)) {
                return;
              }
              if (wanted.test(child)) {
                paths.add(path + "/" + name);
              }
              collect(path + "/" + name, child, wanted, paths, depth - 1);
            });
  }
}
