package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.rpc.Payload;

/**
 * A frame that waits to leave. Except where said, its methods are called on the connection's event
 * loop.
 */
interface OutboundFrame {
  FrameKind kind();

  int opcodeNumber();

  long requestId();

  /** Asked when it is this frame's turn; false drops it. */
  default boolean wanted() {
    return true;
  }

  default int deadlineMillis() {
    return 0;
  }

  /** The body, now that the frame's counter is known; called once. */
  MessageLite body(byte[] nonce, long counter);

  default Payload payload() {
    return Payload.EMPTY;
  }

  /** Signs the frame; null for an unsigned one. */
  default byte[] secret() {
    return null;
  }

  /**
   * Called once, when all of it has left or it was given up; the payload is released by then. On a
   * thread of the caller if the transport has ended.
   */
  default void finished(boolean sent) {}
}
