package org.weft.osd.store.engine.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.weft.protocol.seam.KeyValueStore;

/**
 * What a commit is to store under a key: encoded when the commit is written, however often it
 * changes before.
 */
record StagedValue(Object decoded, Supplier<byte[]> encoding) {
  /** Nothing: the key goes. */
  static final StagedValue NONE = new StagedValue(null, () -> null);

  byte[] encoded() {
    return encoding.get();
  }

  /** The first entries of what is stored, with what is staged over it. */
  static List<Transaction.Entry> merged(
      KeyValueStore.Cursor stored, NavigableMap<byte[], StagedValue> staged, int limit)
      throws IOException {
    NavigableMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
    while (found.size() < limit && stored.next()) {
      if (!staged.containsKey(stored.key())) {
        found.put(stored.key(), stored.value());
      }
    }
    staged.forEach(
        (key, value) -> {
          if (value != NONE) {
            found.put(key, value.encoded());
          }
        });
    List<Transaction.Entry> entries = new ArrayList<>();
    found.forEach(
        (key, value) -> {
          if (entries.size() < limit) {
            entries.add(new Transaction.Entry(key, value));
          }
        });
    return entries;
  }
}
