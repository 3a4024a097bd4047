package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.weft.protocol.rpc.Payload;

/**
 * Writes XDR (RFC 4506). Payloads are not copied. They are parts of their own between what was
 * written before and after. They are released once the whole has left. Not thread-safe.
 */
public final class XdrWriter {
  private static final int FIRST_BYTES = 256;

  /** Smaller payloads are copied: another part costs more. */
  private static final int MIN_PART_BYTES = 8 << 10;

  private final ByteBufAllocator allocator;
  private final List<ByteBuf> parts = new ArrayList<>(1);
  private final List<Payload> payloads = new ArrayList<>(0);
  private ByteBuf out;
  private int endedBytes;

  XdrWriter(ByteBufAllocator allocator) {
    this.allocator = allocator;
    begin();
  }

  /** What is written by that, as bytes on the heap. */
  public static byte[] bytes(Consumer<XdrWriter> writing) {
    XdrWriter writer = new XdrWriter(UnpooledByteBufAllocator.DEFAULT);
    try {
      writing.accept(writer);
      ByteBuffer all = ByteBuffer.allocate(writer.lengthBytes());
      for (ByteBuf part : writer.parts) {
        all.put(part.nioBuffer());
      }
      return all.array();
    } finally {
      writer.discard();
    }
  }

  /** Bytes written so far. */
  public int lengthBytes() {
    return endedBytes + out.readableBytes();
  }

  /** Sections 4.1 to 4.3; the low 32 bits of what is unsigned. */
  public XdrWriter int32(int value) {
    out.writeInt(value);
    return this;
  }

  /** Section 4.5. */
  public XdrWriter int64(long value) {
    out.writeLong(value);
    return this;
  }

  /** Section 4.4. */
  public XdrWriter bool(boolean value) {
    return int32(value ? 1 : 0);
  }

  /** Section 4.9. */
  public XdrWriter fixedOpaque(byte[] value) {
    out.writeBytes(value).writeZero(XdrReader.padding(value.length));
    return this;
  }

  /** Section 4.10. */
  public XdrWriter opaque(byte[] value) {
    return int32(value.length).fixedOpaque(value);
  }

  /** Section 4.11: characters up to U+00FF, as {@link XdrReader#string} reads them. */
  public XdrWriter string(String value) {
    return opaque(value.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** As {@link #opaque}, of bytes that are taken over and released once they have left. */
  public XdrWriter payload(Payload payload) {
    int length = payload.lengthBytes();
    int32(length);
    if (length < MIN_PART_BYTES) {
      try {
        payload.buffers().forEach(out::writeBytes);
      } finally {
        payload.release();
      }
    } else {
      payloads.add(payload);
      endPart();
      for (ByteBuffer bytes : payload.buffers()) {
        endedBytes += bytes.remaining();
        parts.add(Unpooled.wrappedBuffer(bytes));
      }
      begin();
    }
    out.writeZero(XdrReader.padding(length));
    return this;
  }

  /** Overwrites four bytes of the first part, which must have been written. */
  void setInt32(int offset, int value) {
    parts.get(0).setInt(offset, value);
  }

  /** The parts in their order. They are the caller's now, and so are {@link #payloads}. */
  List<ByteBuf> parts() {
    return parts;
  }

  /** What is to be released once all parts have left. */
  List<Payload> payloads() {
    return payloads;
  }

  /** Gives up what was written. */
  void discard() {
    parts.forEach(ByteBuf::release);
    payloads.forEach(Payload::release);
  }

  private void begin() {
    out = allocator.ioBuffer(FIRST_BYTES);
    parts.add(out);
  }

  private void endPart() {
    endedBytes += out.readableBytes();
  }
}
