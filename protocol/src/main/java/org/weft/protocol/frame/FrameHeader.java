package org.weft.protocol.frame;

import java.nio.ByteBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The fixed head of every frame; the one owner of its bytes. 56 bytes, big-endian, then the body,
 * then the payload:
 *
 * <pre>
 *  0 length u32          bytes of the frame after this field: 52 + bodyLength + payloadLength
 *  4 version u8 | kind u8 | opcode u16
 *  8 flags u16 | reserved u16 (zero)
 * 12 requestId u64       chosen by the client, from 1 on; 0 where a frame is about no request
 * 20 counter u64         grows from frame to frame of one direction of a connection
 * 28 deadlineMillis u32  what remains of a request's time; 0 in other kinds
 * 32 bodyLength u32
 * 36 payloadLength u32
 * 40 MAC (16 bytes)      see {@link FrameMac}; zero in an unsigned frame
 * 56 body
 *    payload
 * </pre>
 *
 * <p>A receiver ignores flags that it does not know.
 *
 * @param opcode number of an opcode; 0 in kinds that have none
 * @param counter at least 1
 */
public record FrameHeader(
    FrameKind kind,
    int opcode,
    int flags,
    long requestId,
    long counter,
    int deadlineMillis,
    int bodyBytes,
    int payloadBytes) {
  /** The version of this layout, and the only one there is. */
  public static final int VERSION = 1;

  /** Length of the head, MAC included. */
  public static final int BYTES = 56;

  /** Where the MAC stands; the bytes before it are what it covers of the header. */
  public static final int MAC_OFFSET = 40;

  /** Flag of a signed request: its answer is to be signed as well. */
  public static final int PROVE_ANSWER = 1;

  private static final int LENGTH_FIELD_BYTES = 4;

  /** The header of a frame that has no opcode, deadline or payload. */
  public static FrameHeader plain(FrameKind kind, long requestId, long counter, int bodyBytes) {
    return new FrameHeader(kind, 0, 0, requestId, counter, 0, bodyBytes, 0);
  }

  /** True if the sender wants a signed answer. */
  public boolean wantsProof() {
    return (flags & PROVE_ANSWER) != 0;
  }

  /** Writes the head with a zero MAC. */
  public void encode(ByteBuffer target) {
    target
        .putInt(BYTES - LENGTH_FIELD_BYTES + bodyBytes + payloadBytes)
        .put((byte) VERSION)
        .put((byte) kind.number())
        .putShort((short) opcode)
        .putShort((short) flags)
        .putShort((short) 0)
        .putLong(requestId)
        .putLong(counter)
        .putInt(deadlineMillis)
        .putInt(bodyBytes)
        .putInt(payloadBytes)
        .putLong(0)
        .putLong(0);
  }

  /**
   * Reads a head of {@link #BYTES} bytes and checks all of it against itself and the limits.
   *
   * @throws WeftException VERSION_MISMATCH or MALFORMED, with the numbers; the connection is then
   *     lost, since nothing tells where the next frame begins
   */
  public static FrameHeader decode(ByteBuffer head, FrameLimits limits) throws WeftException {
    ByteBuffer in = head.duplicate();
    if (in.remaining() < BYTES) {
      throw malformed("a frame's head has " + BYTES + " bytes, got " + in.remaining());
    }
    long length = Integer.toUnsignedLong(in.getInt());
    int version = Byte.toUnsignedInt(in.get());
    if (version != VERSION) {
      throw new WeftException(
          ErrorCode.VERSION_MISMATCH,
          "frame of version " + version + ", only " + VERSION + " is known here");
    }
    int kindNumber = Byte.toUnsignedInt(in.get());
    FrameKind kind = FrameKind.ofNumber(kindNumber);
    if (kind == null) {
      throw malformed("unknown kind of frame " + kindNumber);
    }
    int opcode = Short.toUnsignedInt(in.getShort());
    int flags = Short.toUnsignedInt(in.getShort());
    int reserved = Short.toUnsignedInt(in.getShort());
    if (reserved != 0) {
      throw malformed("reserved field of a frame must be zero, got " + reserved);
    }
    long requestId = in.getLong();
    long counter = in.getLong();
    int deadlineMillis = (int) Math.min(Integer.toUnsignedLong(in.getInt()), Integer.MAX_VALUE);
    long body = Integer.toUnsignedLong(in.getInt());
    long payload = Integer.toUnsignedLong(in.getInt());
    checkLengths(kind, length, body, payload, limits);
    return new FrameHeader(
        kind, opcode, flags, requestId, counter, deadlineMillis, (int) body, (int) payload);
  }

  private static void checkLengths(
      FrameKind kind, long length, long body, long payload, FrameLimits limits)
      throws WeftException {
    long maxBody = kind.mayHaveBody() ? limits.maxBodyBytes() : 0;
    long maxPayload = kind.mayHavePayload() ? limits.maxPayloadBytes() : 0;
    if (body > maxBody) {
      throw malformed(
          kind + " with a body of " + body + " bytes, at most " + maxBody + " are taken");
    }
    if (payload > maxPayload) {
      throw malformed(
          kind + " with a payload of " + payload + " bytes, at most " + maxPayload + " are taken");
    }
    long expected = BYTES - LENGTH_FIELD_BYTES + body + payload;
    if (length != expected) {
      throw malformed(
          "frame says it has "
              + length
              + " bytes, but its head, body and payload make "
              + expected);
    }
  }

  /**
   * The request that a head, refused or not, is about: its reader can name the call that went
   * wrong. 0 if it is about none.
   */
  public static long requestIdOf(ByteBuffer head) {
    int start = head.position();
    boolean readable =
        head.remaining() >= BYTES
            && head.get(start + 4) == VERSION
            && head.get(start + 5) == FrameKind.REQUEST.number();
    return readable ? head.getLong(start + 12) : 0;
  }

  private static WeftException malformed(String message) {
    return new WeftException(ErrorCode.MALFORMED, message);
  }
}
