package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;

/**
 * Counts the names of nodes that have or had several, for the range of objects that fits into
 * memory. Objects behind that range are counted when the volume is walked through again.
 * Single-threaded.
 */
final class ManyNames {
  private final int most;
  private final TreeMap<ObjectId, Integer> counts = new TreeMap<>();
  private ObjectId after = new ObjectId(0);
  private ObjectId last = new ObjectId(-1L);

  /**
   * @param most nodes at a time
   */
  ManyNames(int most) {
    this.most = most;
  }

  /** There is such a node; it may have no name at all. */
  void saw(ObjectId object) {
    if (isCounted(object)) {
      counts.putIfAbsent(object, 0);
      while (counts.size() > most) {
        counts.pollLastEntry();
        last = counts.lastKey();
      }
    }
  }

  /** As many more names lead to the node. */
  void named(ObjectId object, int names) {
    saw(object);
    counts.computeIfPresent(object, (key, count) -> count + names);
  }

  boolean isCounted(ObjectId object) {
    return object.compareTo(after) > 0 && object.compareTo(last) <= 0;
  }

  /** The nodes that were counted, in ascending order. */
  List<ObjectId> counted() {
    return new ArrayList<>(counts.keySet());
  }

  int count(ObjectId object) {
    return counts.getOrDefault(object, 0);
  }

  /**
   * Counts those behind the last ones.
   *
   * @return false if all were counted
   */
  boolean next() {
    boolean isMore = !last.equals(new ObjectId(-1L));
    after = last;
    last = new ObjectId(-1L);
    counts.clear();
    return isMore;
  }

  /** Counts the same ones anew: some had changed while they were counted. */
  void again(List<ObjectId> objects) {
    counts.clear();
    objects.forEach(object -> counts.put(object, 0));
  }
}
