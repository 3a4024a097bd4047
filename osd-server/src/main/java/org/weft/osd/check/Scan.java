package org.weft.osd.check;

import java.io.IOException;
import java.util.HexFormat;
import org.weft.osd.store.format.FormatException;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/** Visits all entries of a kind; one that does not decode is a finding, and the next is visited. */
final class Scan {
  private Scan() {}

  /** Takes an entry. */
  @FunctionalInterface
  interface Visitor {
    void visit(byte[] key, byte[] value) throws IOException;
  }

  static void of(KeyValueStore tables, byte kind, Tally tally, Visitor visitor) throws IOException {
    byte[] prefix = StoreKeys.prefix(kind);
    try (KeyValueStore.Cursor cursor = tables.scan(prefix, StoreKeys.after(prefix))) {
      while (cursor.next()) {
        try {
          visitor.visit(cursor.key(), cursor.value());
        } catch (FormatException e) {
          tally.finding("entry " + hex(cursor.key()) + " is damaged: " + e.getMessage());
        } catch (IndexOutOfBoundsException e) {
          tally.finding("entry " + hex(cursor.key()) + " is damaged: its key is too short");
        }
      }
    }
  }

  private static String hex(byte[] key) {
    return HexFormat.of().formatHex(key);
  }
}
