package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.weft.protocol.rpc.Payload;

/**
 * Reads XDR (RFC 4506) out of one record. Every length is compared with its limit and with the
 * bytes that are there before memory is taken. Padding is skipped whatever it holds, as other
 * servers do. Not thread-safe; good only until the call that was given it returns.
 */
public final class XdrReader {
  private final ByteBuf in;
  private final ArrivedRecord record;

  /** Where the first payload stands; -1: none was read. */
  private int payloadIndex = -1;

  XdrReader(ArrivedRecord record) {
    this.in = record.bytes();
    this.record = record;
  }

  /** Reads those bytes, which must not change meanwhile. */
  public static XdrReader of(byte[] bytes) {
    return new XdrReader(new ArrivedRecord(Unpooled.wrappedBuffer(bytes), () -> {}));
  }

  ByteBuf bytes() {
    return in;
  }

  /** Where reading has come to, but of a payload no further than so many bytes. */
  int hashedUpTo(int payloadBytes) {
    return payloadIndex < 0
        ? in.readerIndex()
        : Math.min(in.readerIndex(), payloadIndex + payloadBytes);
  }

  /** Bytes that were not read yet. */
  public int remaining() {
    return in.readableBytes();
  }

  /** Section 4.1 and 4.2; the same bits serve an unsigned integer. */
  public int int32() throws MalformedXdrException {
    need(Integer.BYTES);
    return in.readInt();
  }

  /** Section 4.2. */
  public long uint32() throws MalformedXdrException {
    return Integer.toUnsignedLong(int32());
  }

  /** Section 4.5; the same bits serve an unsigned hyper integer. */
  public long int64() throws MalformedXdrException {
    need(Long.BYTES);
    return in.readLong();
  }

  /** Section 4.4. */
  public boolean bool() throws MalformedXdrException {
    int value = int32();
    if (value != 0 && value != 1) {
      throw new MalformedXdrException(
          "a boolean is 0 or 1, got " + Integer.toUnsignedString(value));
    }
    return value == 1;
  }

  /**
   * An enumeration's value, section 4.3.
   *
   * @return 0 to {@code highest}
   */
  public int choice(int highest) throws MalformedXdrException {
    int value = int32();
    if (value < 0 || value > highest) {
      throw new MalformedXdrException(
          "a value of 0 to " + highest + " was wanted, got " + Integer.toUnsignedString(value));
    }
    return value;
  }

  /** The number of elements of a variable-length array, section 4.13. */
  public int count(int most) throws MalformedXdrException {
    long count = uint32();
    if (count > most) {
      throw new MalformedXdrException("at most " + most + " elements may stand here, got " + count);
    }
    return (int) count;
  }

  /** Fixed-length opaque data, section 4.9. */
  public byte[] fixedOpaque(int bytes) throws MalformedXdrException {
    need(padded(bytes));
    byte[] value = new byte[bytes];
    in.readBytes(value);
    in.skipBytes(padding(bytes));
    return value;
  }

  /** Variable-length opaque data, section 4.10. */
  public byte[] opaque(int mostBytes) throws MalformedXdrException {
    return fixedOpaque(length(mostBytes));
  }

  /** A string, section 4.11, of ASCII; other bytes are kept as ISO 8859-1 has them. */
  public String string(int mostBytes) throws MalformedXdrException {
    return new String(opaque(mostBytes), StandardCharsets.ISO_8859_1);
  }

  /**
   * Variable-length opaque data that stays where it arrived. The caller owns the payload and
   * releases it once; the record's memory is held until then.
   */
  public Payload payload(int mostBytes) throws MalformedXdrException {
    int length = length(mostBytes);
    need(padded(length));
    if (payloadIndex < 0) {
      payloadIndex = in.readerIndex();
    }
    ByteBuf bytes = in.readSlice(length);
    in.skipBytes(padding(length));
    return record.share(bytes);
  }

  private int length(int mostBytes) throws MalformedXdrException {
    long length = uint32();
    if (length > mostBytes) {
      throw new MalformedXdrException(
          "at most " + mostBytes + " bytes may stand here, the length says " + length);
    }
    return (int) length;
  }

  private void need(long bytes) throws MalformedXdrException {
    if (in.readableBytes() < bytes) {
      throw new MalformedXdrException(
          "the record ends early: " + bytes + " bytes wanted, " + in.readableBytes() + " left");
    }
  }

  static int padding(int bytes) {
    return -bytes & 3;
  }

  private static long padded(int bytes) {
    return (long) bytes + padding(bytes);
  }
}
