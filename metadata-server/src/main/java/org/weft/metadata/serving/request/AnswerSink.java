package org.weft.metadata.serving.request;

import com.google.protobuf.MessageLite;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * Where the answer to a request goes. Exactly one of reply and refuse is called, on the volume's
 * thread.
 */
public interface AnswerSink {
  /**
   * @param seen what the answer has seen; for a change its own LSN
   */
  void reply(MessageLite body, Lsn seen);

  void refuse(WeftException why);

  /**
   * The client does not wait for the answer any more: a request that is not decided yet may be
   * forgotten.
   */
  boolean abandoned();
}
