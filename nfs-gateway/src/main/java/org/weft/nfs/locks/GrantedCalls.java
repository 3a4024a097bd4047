package org.weft.nfs.locks;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;

/** Tells a client's lock manager that it has a lock that it waited for. Thread-safe. */
@FunctionalInterface
public interface GrantedCalls {
  /**
   * Calls GRANTED or GRANTED_MSG once.
   *
   * @param asMessage GRANTED_MSG: the client answers with a call of its own, GRANTED_RES
   * @return what the client answers; empty of GRANTED_MSG, once that has left. Fails if the client
   *     is not reached or does not answer in time
   */
  CompletionStage<Optional<NlmStatus>> granted(
      NlmOwner owner, NlmMessage.Test message, boolean asMessage);
}
