package org.weft.nfs.locks;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;

/** Calls a client's lock manager: the client has a lock that it waited for. Thread-safe. */
@FunctionalInterface
public interface GrantedCalls {
  /**
   * Calls GRANTED or GRANTED_MSG once.
   *
   * @param asMessage GRANTED_MSG: the client answers with a call of its own, GRANTED_RES
   * @return what the client answers; empty if the call has left or may have, and no answer has come
   *     in time, as always of GRANTED_MSG. Fails if the client is not reached: it got no call
   */
  CompletionStage<Optional<NlmStatus>> granted(
      NlmOwner owner, NlmMessage.Test message, boolean asMessage);
}
