package org.weft.metadata.salvage;

import java.util.BitSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;

/**
 * Numbers of objects, a bit each. They are given out one after another, so that a volume of a
 * hundred million files takes some twelve megabytes. Single-threaded.
 */
final class ObjectSet {
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK_MASK = (1 << CHUNK_BITS) - 1;

  private final TreeMap<Long, BitSet> chunks = new TreeMap<>(Long::compareUnsigned);
  private long size;

  /** True if it was not there. */
  boolean add(ObjectId object) {
    BitSet chunk = chunks.computeIfAbsent(object.value() >>> CHUNK_BITS, number -> new BitSet());
    int bit = (int) (object.value() & CHUNK_MASK);
    if (chunk.get(bit)) {
      return false;
    }
    chunk.set(bit);
    size++;
    return true;
  }

  void remove(ObjectId object) {
    if (contains(object)) {
      chunks.get(object.value() >>> CHUNK_BITS).clear((int) (object.value() & CHUNK_MASK));
      size--;
    }
  }

  boolean contains(ObjectId object) {
    BitSet chunk = chunks.get(object.value() >>> CHUNK_BITS);
    return chunk != null && chunk.get((int) (object.value() & CHUNK_MASK));
  }

  long size() {
    return size;
  }

  /** The smallest one that is not smaller than this number. */
  OptionalLong from(long number) {
    Map.Entry<Long, BitSet> entry = chunks.ceilingEntry(number >>> CHUNK_BITS);
    int bit = (int) (number & CHUNK_MASK);
    while (entry != null) {
      int start = entry.getKey() == number >>> CHUNK_BITS ? bit : 0;
      int found = entry.getValue().nextSetBit(start);
      if (found >= 0) {
        return OptionalLong.of(entry.getKey() << CHUNK_BITS | found);
      }
      entry = chunks.higherEntry(entry.getKey());
    }
    return OptionalLong.empty();
  }
}
