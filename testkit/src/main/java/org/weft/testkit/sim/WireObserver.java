package org.weft.testkit.sim;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;

/** Sees all that happens on a wire, as it happens. */
public interface WireObserver {
  /** Sees nothing. */
  WireObserver NONE = (event, from, to, opcode, requestId, body, payloadBytes) -> {};

  /** What happens. */
  enum Event {
    CONNECTED,
    CLOSED,
    SENT,
    ARRIVED,
    LOST,
    ANSWERED,
    FAILED,
    REPLIED,
    REPLY_LOST,
    EXPIRED,
    PUSHED
  }

  /**
   * Something happened.
   *
   * @param requestId 0 where there is none
   * @param body of the request, the reply or the push; of a failure its text
   */
  void happened(
      Event event,
      String from,
      String to,
      int opcode,
      long requestId,
      ByteString body,
      int payloadBytes);

  /**
   * The payload of a reply was read to be sent.
   *
   * @param payload valid during the call
   */
  default void left(String from, int opcode, ByteString replyBody, ByteBuffer payload) {}
}
