package org.weft.protocol.rpc;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * A request under way at a server. Thread-safe. Exactly one of reply and fail answers it; more are
 * ignored.
 */
public interface InboundRequest {
  /** Number of the opcode; may be one that this release does not know. */
  int opcodeNumber();

  long requestId();

  /** The body as received, read-only; valid until the request is answered. */
  ByteBuffer body();

  /** The bytes behind the body; owned by the transport and valid until the request is answered. */
  Payload payload();

  /** Monotonic time, of the transport's ticker, at which the caller gives up. */
  long deadlineNanos();

  /** The caller gave up, or its connection ended. */
  boolean cancelled();

  RpcPeer peer();

  /**
   * True if the frame's MAC was made with the secret, over this connection's nonce, header and
   * body.
   */
  boolean signedWith(byte[] secret);

  /**
   * True if the MAC of an item of this BATCH was made with the secret. It covers this connection's
   * nonce, the frame's request id and counter, and the item's index, opcode and body; see {@link
   * org.weft.protocol.frame.FrameMac}. The item's payload is bound by the CRCs in the item's body.
   */
  boolean itemSignedWith(
      byte[] secret, int index, int opcodeNumber, ByteBuffer itemBody, byte[] mac);

  /** Parses the body; MALFORMED if it is not such a message. */
  <T> T parse(Parser<T> parser) throws WeftException;

  /** Answers; the payload belongs to the transport from here on. */
  void reply(MessageLite body, Payload payload);

  default void reply(MessageLite body) {
    reply(body, Payload.EMPTY);
  }

  void fail(WeftException failure);

  default void fail(ErrorCode code, String message) {
    fail(new WeftException(code, message));
  }
}
