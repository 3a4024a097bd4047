package org.weft.protocol.transport;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.rpc.Payload;

/**
 * A whole frame as it arrived. The receiver releases the payload.
 *
 * @param head the bytes of the header as received, MAC included
 * @param body on the heap, read-only; lives as long as anything refers to it
 */
record InboundFrame(FrameHeader header, byte[] head, ByteBuffer body, Payload payload) {
  private static final byte[] UNSIGNED = new byte[Hmac.WIRE_BYTES];
  private static final int MAC_END = FrameHeader.MAC_OFFSET + Hmac.WIRE_BYTES;

  /** False if it came without a MAC: then nothing needs to be computed to refuse it. */
  boolean isSigned() {
    return !Arrays.equals(head, FrameHeader.MAC_OFFSET, MAC_END, UNSIGNED, 0, Hmac.WIRE_BYTES);
  }

  /** The MAC that it came with; zeros if it is not signed. */
  byte[] mac() {
    return Arrays.copyOfRange(head, FrameHeader.MAC_OFFSET, MAC_END);
  }
}
