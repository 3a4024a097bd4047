package org.weft.protocol.frame;

import java.nio.ByteBuffer;
import org.weft.protocol.capability.Hmac;

/**
 * The signatures of requests and of proven answers (P 5.7). All are the first 16 bytes of an
 * HMAC-SHA256. The server's nonce binds the signature of a request to one connection. The counter,
 * which only grows, binds it to one frame. So a captured frame or item is worth nothing on another
 * connection, in another frame or at another index. That of an answer is bound to the connection by
 * the client's nonce, and to its request by the request's MAC.
 *
 * <pre>
 * frame:  nonce (16) | bytes 0..39 of the head | body
 * item:   nonce (16) | "item" | requestId u64 | counter u64 | index u32 | opcode u16 | item body
 * answer: client's nonce (16) | "answ" | MAC of the request (16) | bytes 0..39 of the head | body
 * </pre>
 *
 * <p>An item's MAC stands inside the frame's body, so it cannot cover the whole head, which tells
 * the length of that body. "item" and "answ" stand where a frame has its length, as numbers no
 * frame may have: so none can ever pass for another. Payloads are bound by the CRCs that bodies
 * hold of them.
 */
public final class FrameMac {
  public static final int NONCE_BYTES = 16;

  private static final int ITEM_LABEL = 'i' << 24 | 't' << 16 | 'e' << 8 | 'm';

  private static final int ANSWER_LABEL = 'a' << 24 | 'n' << 16 | 's' << 8 | 'w';

  private FrameMac() {}

  /** The MAC of a frame; of the head only what stands before the MAC is read. Positions stay. */
  public static byte[] ofFrame(byte[] secret, byte[] nonce, ByteBuffer head, ByteBuffer body) {
    ByteBuffer covered = head.slice(head.position(), FrameHeader.MAC_OFFSET);
    return Hmac.wire(secret, ByteBuffer.wrap(nonce), covered, body);
  }

  /**
   * The MAC of an answer, good or bad; of the head only what stands before the MAC is read.
   * Positions stay.
   *
   * @param clientNonce which the client drew for the connection
   * @param requestMac which the request came with
   */
  public static byte[] ofAnswer(
      byte[] secret, byte[] clientNonce, byte[] requestMac, ByteBuffer head, ByteBuffer body) {
    ByteBuffer label = ByteBuffer.allocate(4).putInt(ANSWER_LABEL).flip();
    ByteBuffer covered = head.slice(head.position(), FrameHeader.MAC_OFFSET);
    return Hmac.wire(
        secret, ByteBuffer.wrap(clientNonce), label, ByteBuffer.wrap(requestMac), covered, body);
  }

  /** The MAC of one item of a BATCH. The position of the body stays. */
  public static byte[] ofItem(
      byte[] secret,
      byte[] nonce,
      long requestId,
      long counter,
      int index,
      int opcodeNumber,
      ByteBuffer itemBody) {
    ByteBuffer place =
        ByteBuffer.allocate(26)
            .putInt(ITEM_LABEL)
            .putLong(requestId)
            .putLong(counter)
            .putInt(index)
            .putShort((short) opcodeNumber)
            .flip();
    return Hmac.wire(secret, ByteBuffer.wrap(nonce), place, itemBody);
  }
}
