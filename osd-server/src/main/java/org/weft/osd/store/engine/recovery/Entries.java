package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/** Goes through the entries of a kind, in the order of their keys. */
public final class Entries {
  private Entries() {}

  /** Takes an entry. */
  @FunctionalInterface
  public interface Visitor {
    void visit(byte[] key, byte[] value) throws IOException;
  }

  /**
   * Shows the visitor each entry of the kind.
   *
   * @throws IOException of the store, or of the visitor
   */
  public static void ofKind(KeyValueStore store, byte kind, Visitor visitor) throws IOException {
    byte[] prefix = StoreKeys.prefix(kind);
    try (KeyValueStore.Cursor cursor = store.scan(prefix, StoreKeys.after(prefix))) {
      while (cursor.next()) {
        visitor.visit(cursor.key(), cursor.value());
      }
    }
  }
}
