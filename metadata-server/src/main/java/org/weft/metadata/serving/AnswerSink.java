package org.weft.metadata.serving;

import com.google.protobuf.MessageLite;
import org.weft.protocol.rpc.RpcException;

/**
 * Where the answer to a request goes. Exactly one of reply and refuse is called, on the volume's
 * thread.
 */
public interface AnswerSink {
  void reply(MessageLite body);

  void refuse(RpcException why);

  /** Nobody waits for the answer any more: a request that is not decided yet may be forgotten. */
  boolean abandoned();
}
