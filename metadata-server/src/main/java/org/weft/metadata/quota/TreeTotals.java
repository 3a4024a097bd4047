package org.weft.metadata.quota;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;

/**
 * What nodes add up to in the trees that they count in (P 6.6a). Each node counts in its innermost
 * tree, and in all trees around that. Single-threaded.
 */
public final class TreeTotals {
  private static final class Sum {
    private long bytes;
    private long files;
  }

  private final Map<ObjectId, Sum> own = new HashMap<>();

  /** Begins with nothing. */
  public void clear() {
    own.clear();
  }

  /**
   * One more node.
   *
   * @param innermost the tree that it counts in
   */
  public void add(ObjectId innermost, long bytes) {
    Sum sum = own.computeIfAbsent(innermost, tree -> new Sum());
    sum.bytes += bytes;
    sum.files++;
  }

  /**
   * Usage of trees, without marks of soft limits.
   *
   * @param parents the trees that are asked for, each with the one around it
   */
  public SortedMap<ObjectId, QuotaUsage> of(Map<ObjectId, ObjectId> parents) {
    SortedMap<ObjectId, Sum> all = new TreeMap<>();
    parents.keySet().forEach(tree -> all.put(tree, new Sum()));
    own.forEach((tree, sum) -> climb(tree, sum, parents, all));
    SortedMap<ObjectId, QuotaUsage> usage = new TreeMap<>();
    all.forEach((tree, sum) -> usage.put(tree, new QuotaUsage(sum.bytes, sum.files, 0, 0)));
    return usage;
  }

  /** Trees that lie around each other end the climb, too. */
  private static void climb(
      ObjectId innermost, Sum sum, Map<ObjectId, ObjectId> parents, Map<ObjectId, Sum> all) {
    ObjectId next = innermost;
    for (int height = 0; parents.containsKey(next) && height <= parents.size(); height++) {
      Sum whole = all.get(next);
      whole.bytes += sum.bytes;
      whole.files += sum.files;
      next = parents.get(next);
    }
  }
}
