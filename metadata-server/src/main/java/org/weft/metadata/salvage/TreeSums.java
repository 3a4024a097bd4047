package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.TreeTotals;
import org.weft.protocol.id.ObjectId;

/**
 * How much the trees hold that usage is counted in (P 6.6a), by what attributes say. A file without
 * a name counts until it is removed, as everywhere. The journal alone had their limits, and whether
 * they were fully counted. So the count is done again, which changes nothing where it was right.
 */
final class TreeSums {
  private final TreeTotals totals = new TreeTotals();

  /** Directories that are trees, each with the directory that it is in. */
  private final SortedMap<ObjectId, ObjectId> above = new TreeMap<>();

  /** Some node counts in no tree. */
  private boolean uncounted;

  void add(Attributes node) {
    if (node.quotaTree().equals(Attributes.UNCOUNTED)) {
      uncounted = true;
      return;
    }
    totals.add(node.quotaTree(), node.countedBytes());
    if (node.isDirectory() && node.quotaTree().equals(node.object())) {
      above.put(node.object(), node.parent().directory());
    }
  }

  /** Directories whose trees are asked for: those that trees are in. */
  Collection<ObjectId> wanted() {
    return above.entrySet().stream()
        .filter(each -> !each.getKey().equals(ObjectId.ROOT))
        .map(Map.Entry::getValue)
        .distinct()
        .toList();
  }

  /** The trees that there are, by their directories. */
  Collection<ObjectId> trees() {
    return above.keySet();
  }

  /**
   * As the journal is to have them.
   *
   * @param treeOf of the wanted directories, as far as they are there
   * @param paths of the trees, without the leading slash
   */
  List<LiveEffect> effects(Map<ObjectId, ObjectId> treeOf, Map<ObjectId, String> paths) {
    SortedMap<ObjectId, ObjectId> parents = new TreeMap<>();
    above.forEach(
        (tree, directory) -> {
          ObjectId parent = treeOf.getOrDefault(directory, QuotaTree.NONE);
          boolean isKnown = above.containsKey(parent) && !tree.equals(ObjectId.ROOT);
          parents.put(tree, isKnown && !parent.equals(tree) ? parent : QuotaTree.NONE);
        });
    List<LiveEffect> effects = new ArrayList<>();
    totals
        .of(parents)
        .forEach(
            (tree, usage) -> {
              effects.add(
                  new QuotaEffect.TreePut(
                      new QuotaTree(
                          tree,
                          parents.get(tree),
                          paths.getOrDefault(tree, ""),
                          QuotaLimits.NONE,
                          tree.equals(ObjectId.ROOT) && !uncounted)));
              effects.add(new QuotaEffect.TreeUsed(tree, usage));
            });
    return effects;
  }
}
