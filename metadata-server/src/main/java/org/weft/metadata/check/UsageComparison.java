package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.check.CheckedVolume.TreeUsage;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.metadata.quota.TreeTotals;
import org.weft.protocol.id.ObjectId;

/**
 * Compares the usage of trees with quotas, summed over the attributes of all nodes, with the
 * manager's counts (P 6.8d). The attributes that OSDs hold are those of the moment in which a pass
 * began, since all decisions had been brought there. So only trees are compared that have not
 * changed since. Single-threaded.
 */
final class UsageComparison {
  private final TreeTotals totals = new TreeTotals();
  private Map<ObjectId, TreeUsage> begun = Map.of();
  private boolean whole;

  /**
   * A pass over all nodes begins.
   *
   * @param trees at the moment from which on all is brought to the OSDs
   */
  void begin(Map<ObjectId, TreeUsage> trees) {
    totals.clear();
    begun = trees;
    whole = true;
  }

  /** A node that is not removed, each once. */
  void saw(Attributes node) {
    if (begun.containsKey(node.quotaTree())) {
      totals.add(node.quotaTree(), node.countedBytes());
    }
  }

  /** Attributes of this pass may be missing or out of date. */
  void incomplete() {
    whole = false;
  }

  /** All nodes were seen; else nothing is said of any tree. */
  boolean isWhole() {
    return whole;
  }

  /** There are trees that could be compared. */
  boolean hasTrees() {
    return !begun.isEmpty();
  }

  /**
   * All nodes have been seen.
   *
   * @param now the trees as they are by now
   * @return trees that hold something else than what was counted, and have not changed meanwhile
   */
  List<Suspicion> wrong(Map<ObjectId, TreeUsage> now) {
    Map<ObjectId, ObjectId> parents = new HashMap<>();
    begun.forEach((tree, usage) -> parents.put(tree, usage.parent()));
    Map<ObjectId, QuotaUsage> all = totals.of(parents);
    List<Suspicion> wrong = new ArrayList<>();
    begun.forEach(
        (directory, tree) -> {
          QuotaUsage found = all.get(directory);
          boolean isAlike = found.bytes() == tree.bytes() && found.files() == tree.files();
          if (tree.counted() && !isAlike && tree.equals(now.get(directory))) {
            wrong.add(
                Suspicion.of(
                    FindingKind.WRONG_USAGE,
                    directory,
                    "the quota of object %s, set at /%s, counts %,d bytes and %,d files; it holds %,d bytes and %,d files"
                        .formatted(
                            directory,
                            tree.path(),
                            tree.bytes(),
                            tree.files(),
                            found.bytes(),
                            found.files())));
          }
        });
    return wrong;
  }
}
