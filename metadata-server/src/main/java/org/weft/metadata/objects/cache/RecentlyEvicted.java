package org.weft.metadata.objects.cache;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.weft.protocol.id.Lsn;

/**
 * What was evicted lately, and how new it was. A load may begin before a change and end after the
 * changed value was flushed and evicted. This keeps such a load from bringing the old value back.
 * There are two bounded generations. A load names the generation in which it began. It is believed
 * while all evictions since then are still known.
 */
final class RecentlyEvicted<K> {
  private final int limit;
  private Map<K, Lsn> young = new HashMap<>();
  private Map<K, Lsn> old = new HashMap<>();
  private int generation;

  RecentlyEvicted(int limit) {
    this.limit = limit;
  }

  int generation() {
    return generation;
  }

  void add(K key, Lsn lsn) {
    young.put(key, lsn);
    if (young.size() >= limit) {
      old = young;
      young = new HashMap<>();
      generation++;
    }
  }

  /** What was evicted of these does not count any more: they begin anew. */
  void forget(Predicate<K> keys) {
    young.keySet().removeIf(keys);
    old.keySet().removeIf(keys);
  }

  /** True if what was loaded may be older than what was evicted since the load began. */
  boolean isStale(K key, Lsn loaded, int loadGeneration) {
    if (loadGeneration < generation - 1) {
      return true;
    }
    Lsn evicted = young.getOrDefault(key, old.getOrDefault(key, Lsn.ZERO));
    return loaded.compareTo(evicted) < 0;
  }
}
