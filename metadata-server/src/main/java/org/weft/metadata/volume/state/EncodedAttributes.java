package org.weft.metadata.volume.state;

import com.google.protobuf.ByteString;
import java.lang.ref.WeakReference;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.protocol.id.ObjectId;

/**
 * Attributes as listings show them, encoded. To encode them again for each of a thousand entries is
 * most of what a listing costs. Bounded, least recently used first out. Confined to the volume's
 * thread.
 */
public final class EncodedAttributes {
  private static final int MAX = 20_000;

  /** Those of a node with a long target or name are not worth the room. */
  private static final int MAX_BYTES = 512;

  /**
   * Encoded attributes.
   *
   * @param of attributes are immutable: the same ones have the same bytes. Held weakly, since the
   *     volume's cache decides which of them are kept
   */
  private record Encoded(WeakReference<Attributes> of, ByteString bytes) {}

  private final LinkedHashMap<ObjectId, Encoded> encoded = new LinkedHashMap<>(16, 0.75f, true);

  /** All but the extended attributes. */
  public ByteString of(Attributes attributes) {
    Encoded known = encoded.get(attributes.object());
    if (known != null && known.of().refersTo(attributes)) {
      return known.bytes();
    }
    ByteString bytes = AttributesCodec.toShortMessage(attributes).toByteString();
    if (bytes.size() <= MAX_BYTES) {
      encoded.put(attributes.object(), new Encoded(new WeakReference<>(attributes), bytes));
      evict();
    } else {
      encoded.remove(attributes.object());
    }
    return bytes;
  }

  private void evict() {
    if (encoded.size() > MAX) {
      Iterator<Encoded> eldest = encoded.values().iterator();
      eldest.next();
      eldest.remove();
    }
  }
}
