package org.weft.metadata.objects.cache;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.FileAttributes;

/**
 * Attribute pages that were not asked for lately, encoded. So they take about a third of the
 * memory. To decode one costs microseconds, where an OSD's answer costs a hundred. Bounded in
 * bytes, least recently used first out. Single-threaded.
 */
final class PackedAttributes {
  /** What the objects around the bytes of one page take in memory, about. */
  static final long OVERHEAD_BYTES = 128;

  private record Packed(byte[] page, long lsn) {
    long weight() {
      return page.length + OVERHEAD_BYTES;
    }
  }

  private final LinkedHashMap<ObjectId, Packed> pages = new LinkedHashMap<>(16, 0.75f, true);
  private final BiConsumer<ObjectId, Lsn> dropped;
  private long limitBytes;
  private long bytes;

  /**
   * @param dropped receives evicted keys, with their versions
   */
  PackedAttributes(long limitBytes, BiConsumer<ObjectId, Lsn> dropped) {
    this.limitBytes = limitBytes;
    this.dropped = dropped;
  }

  /** Keeps no more bytes than this from now on. */
  void limit(long most) {
    limitBytes = most;
    evict();
  }

  boolean contains(ObjectId object) {
    return pages.containsKey(object);
  }

  /** The attributes and the LSN they were packed with, or null. */
  AttributeTable.Slot find(ObjectId object) {
    Packed packed = pages.get(object);
    return packed == null
        ? null
        : AttributeTable.Slot.of(decoded(packed.page()), new Lsn(packed.lsn()));
  }

  private static Attributes decoded(byte[] page) {
    try {
      return AttributesCodec.fromMessage(FileAttributes.parseFrom(page));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("attributes that were encoded here cannot be decoded", e);
    }
  }

  /** Replaces what is packed of that object. */
  void put(Attributes attributes, Lsn lsn) {
    remove(attributes.object());
    Packed packed = new Packed(AttributesCodec.toMessage(attributes).toByteArray(), lsn.value());
    pages.put(attributes.object(), packed);
    bytes += packed.weight();
    evict();
  }

  void remove(ObjectId object) {
    Packed packed = pages.remove(object);
    bytes -= packed == null ? 0 : packed.weight();
  }

  private void evict() {
    Iterator<Map.Entry<ObjectId, Packed>> eldest = pages.entrySet().iterator();
    while (bytes > limitBytes) {
      Map.Entry<ObjectId, Packed> entry = eldest.next();
      bytes -= entry.getValue().weight();
      eldest.remove();
      dropped.accept(entry.getKey(), new Lsn(entry.getValue().lsn()));
    }
  }
}
