package org.weft.client.osd;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ReadReply;

/**
 * The body of an answer to a READ, taken apart. The checksums stay as they lie, and the few other
 * fields are parsed as in any message. Where the checksums do not lie in one piece the whole body
 * is parsed: what a body means is what the message of protobuf says.
 */
record ReadReplyBody(ReadReply rest, BlockCrcs crcs) {
  private static final int VARINT = 0;
  private static final int EIGHT_BYTES = 1;
  private static final int LENGTH_FIRST = 2;
  private static final int FOUR_BYTES = 5;
  private static final int TYPE_BITS = 3;
  private static final int TYPE_MASK = (1 << TYPE_BITS) - 1;

  /** Bytes of a varint that can be a length. */
  private static final int MAX_LENGTH_BYTES = 4;

  private static final int MAX_VARINT_BYTES = 10;

  /**
   * Takes a body apart.
   *
   * @throws WeftException MALFORMED if protobuf cannot read it
   */
  static ReadReplyBody of(ByteBuffer encoded) throws WeftException {
    byte[] body = new byte[encoded.remaining()];
    encoded.get(encoded.position(), body);
    try {
      ReadReplyBody apart = apart(body);
      return apart != null ? apart : whole(body);
    } catch (InvalidProtocolBufferException e) {
      throw new WeftException(ErrorCode.MALFORMED, "a reply's body could not be read: " + e, e);
    }
  }

  /** Without reading the checksums; null if they do not lie in one piece. */
  static ReadReplyBody apart(byte[] body) throws InvalidProtocolBufferException {
    Scan scan = new Scan(body);
    return scan.findsOnePiece() ? scan.apart() : null;
  }

  private static ReadReplyBody whole(byte[] body) throws InvalidProtocolBufferException {
    ReadReply reply = ReadReply.parseFrom(body);
    ByteBuffer packed = ByteBuffer.allocate(reply.getBlockCrcCount() * Integer.BYTES);
    for (int crc : reply.getBlockCrcList()) {
      packed.putInt(Integer.reverseBytes(crc));
    }
    return new ReadReplyBody(
        reply.toBuilder().clearBlockCrc().build(), new BlockCrcs(packed.flip()));
  }

  /** Goes over the fields of a body without looking into them. */
  private static final class Scan {
    private final byte[] body;
    private int at;
    private int fieldStart;
    private int crcStart;
    private int crcEnd = -1;

    Scan(byte[] body) {
      this.body = body;
    }

    /** False if the checksums do not lie in one piece, or if this does not know a field's form. */
    boolean findsOnePiece() {
      while (at < body.length) {
        int start = at;
        int tag = body[at++];
        int field = tag >> TYPE_BITS;
        boolean isCrcs = field == ReadReply.BLOCK_CRC_FIELD_NUMBER;
        int length = field <= 0 ? -1 : lengthOf(tag & TYPE_MASK);
        if (length < 0 || length > body.length - at) {
          return false;
        }
        if (isCrcs) {
          boolean isPacked = (tag & TYPE_MASK) == LENGTH_FIRST && length % Integer.BYTES == 0;
          if (!isPacked || crcEnd >= 0) {
            return false;
          }
          fieldStart = start;
          crcStart = at;
          crcEnd = at + length;
        }
        at += length;
      }
      return crcEnd >= 0;
    }

    /** Bytes of the field's value from here on; -1 if that is not known. */
    private int lengthOf(int type) {
      return switch (type) {
        case VARINT -> varintBytes();
        case EIGHT_BYTES -> Long.BYTES;
        case FOUR_BYTES -> Integer.BYTES;
        case LENGTH_FIRST -> length();
        default -> -1;
      };
    }

    private int varintBytes() {
      int count = 1;
      while (count <= MAX_VARINT_BYTES && at + count <= body.length) {
        if (body[at + count - 1] >= 0) {
          return count;
        }
        count++;
      }
      return -1;
    }

    private int length() {
      int count = varintBytes();
      if (count < 0 || count > MAX_LENGTH_BYTES) {
        return -1;
      }
      int value = 0;
      for (int i = 0; i < count; i++) {
        value |= (body[at++] & Byte.MAX_VALUE) << (Byte.SIZE - 1) * i;
      }
      return value;
    }

    ReadReplyBody apart() throws InvalidProtocolBufferException {
      byte[] rest = Arrays.copyOf(body, body.length - (crcEnd - fieldStart));
      System.arraycopy(body, crcEnd, rest, fieldStart, body.length - crcEnd);
      return new ReadReplyBody(
          ReadReply.parseFrom(rest),
          new BlockCrcs(ByteBuffer.wrap(body, crcStart, crcEnd - crcStart)));
    }
  }
}
