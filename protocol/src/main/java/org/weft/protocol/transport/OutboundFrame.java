package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import java.nio.ByteBuffer;
import java.util.Optional;
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

  /** See {@link org.weft.protocol.frame.FrameHeader}. */
  default int flags() {
    return 0;
  }

  /**
   * The MAC of the frame, now that its head and body are known; empty for an unsigned one. Called
   * once, after {@link #body}.
   */
  default Optional<byte[]> mac(byte[] nonce, ByteBuffer head, ByteBuffer body) {
    return Optional.empty();
  }

  /**
   * Called once, when all of it has left or it was given up; the payload is released by then. On a
   * thread of the caller if the transport has ended.
   */
  default void finished(boolean sent) {}
}
