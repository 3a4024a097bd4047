package org.weft.client.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The nodes of a cache, and how much they weigh together: past a bound those go that were not
 * looked at for longest, about. Looked up by any thread, changed on the home executor.
 */
final class CachedNodes {
  static final long ROOT = 1;

  private final Map<Long, CachedNode> byId = new ConcurrentHashMap<>();
  private final int mostEntries;

  // Confined to the home executor.
  private final Deque<CachedNode> turns = new ArrayDeque<>();
  private long weight;

  CachedNodes(int mostEntries) {
    this.mostEntries = mostEntries;
  }

  /** Null if nothing is known of it. */
  CachedNode find(long objectId) {
    return byId.get(objectId);
  }

  /** The last two nodes of the way to a path from the root, as far as it is known. */
  List<CachedNode> changedAt(String path) {
    CachedNode above = null;
    CachedNode node = find(ROOT);
    for (int from = 0; node != null && from < path.length(); ) {
      int slash = path.indexOf('/', from);
      int to = slash < 0 ? path.length() : slash;
      CachedNode.Child child = node.child(path.substring(from, to));
      CachedNode next = child == null ? null : find(child.objectId());
      if (next == null) {
        break;
      }
      above = node;
      node = next;
      from = to + 1;
    }
    List<CachedNode> changed = new ArrayList<>(2);
    if (node != null) {
      changed.add(node);
    }
    if (above != null) {
      changed.add(above);
    }
    return changed;
  }

  /** The node, made if nothing was known of it. */
  CachedNode obtain(long objectId) {
    CachedNode known = byId.get(objectId);
    if (known == null) {
      known = new CachedNode(objectId);
      byId.put(objectId, known);
      turns.add(known);
      weight += known.weight();
    }
    return known;
  }

  /** Changes what is known of a node of this cache. */
  void change(CachedNode node, Consumer<CachedNode> how) {
    int before = node.weight();
    how.accept(node);
    weight += node.weight() - before;
  }

  /** Nothing is known of the node any more; null if nothing was. */
  CachedNode remove(long objectId) {
    CachedNode gone = byId.remove(objectId);
    if (gone != null) {
      weight -= gone.weight();
      // Its turn finds it gone.
      forgetTurns();
    }
    return gone;
  }

  /** Turns of nodes that are gone must not pile up. */
  private void forgetTurns() {
    if (turns.size() > 2 * byId.size() + 64) {
      turns.removeIf(each -> byId.get(each.objectId()) != each);
    }
  }

  /** All nodes, of which nothing is known any more. */
  Collection<CachedNode> clear() {
    List<CachedNode> all = new ArrayList<>(byId.values());
    byId.clear();
    turns.clear();
    weight = 0;
    return all;
  }

  /** Takes away what is too much. */
  List<CachedNode> evict() {
    List<CachedNode> evicted = new ArrayList<>();
    int passes = 2 * turns.size();
    while (weight > mostEntries && passes-- > 0) {
      CachedNode next = turns.remove();
      if (byId.get(next.objectId()) != next) {
        continue;
      }
      if (next.isIdle() || next.weight() > mostEntries / 2) {
        byId.remove(next.objectId());
        weight -= next.weight();
        evicted.add(next);
      } else {
        turns.add(next);
      }
    }
    return evicted;
  }

  /** As many nodes as are known. */
  int size() {
    return byId.size();
  }

  /** Nodes, names and listed entries together. */
  long weight() {
    return weight;
  }
}
