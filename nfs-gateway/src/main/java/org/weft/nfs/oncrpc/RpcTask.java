package org.weft.nfs.oncrpc;

import java.util.concurrent.CompletionStage;

/** A call whose arguments were read. Either run or dropped, once. */
@FunctionalInterface
public interface RpcTask {
  /** What a reply without data may take at most, about. */
  int SMALL_REPLY_BYTES = 512;

  /**
   * Carries it out. Called on an event loop and must not block; the stage may complete on any
   * thread. A stage that fails is answered with SYSTEM_ERR and logged.
   */
  CompletionStage<OncReply> run(RpcCall call);

  /** Bytes of the longest reply, which count as taken from now on. */
  default int mostReplyBytes() {
    return SMALL_REPLY_BYTES;
  }

  /**
   * The same with a shorter reply, for where memory is short: run or dropped instead of this one. A
   * procedure whose reply cannot be shorter gives itself.
   *
   * @param replyBytes what the reply may take, {@link #SMALL_REPLY_BYTES} at least
   */
  default RpcTask within(int replyBytes) {
    return this;
  }

  /** It will not be run: gives back what the arguments hold. */
  default void drop() {}
}
