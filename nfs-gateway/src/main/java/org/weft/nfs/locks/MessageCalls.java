package org.weft.nfs.locks;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;

/** Sends calls to lock managers of clients that need no reply. Thread-safe. */
@FunctionalInterface
public interface MessageCalls {
  /**
   * Sends a call once. Messages to one peer leave in the order in which they were given.
   *
   * @return completes when the message has left; that the client has it is not known. Fails with
   *     {@link org.weft.nfs.oncrpc.RpcFailedException} if the client is not reached
   */
  CompletionStage<Void> send(LockPeer peer, NlmProcedure procedure, NlmMessage message);
}
