package org.weft.nfs.locks;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;

/** Tells a client's lock manager that it has a lock that it waited for. Thread-safe. */
@FunctionalInterface
public interface GrantedCalls {
  /** Calls GRANTED once; fails if the client is not reached or does not answer in time. */
  CompletionStage<NlmStatus> granted(NlmOwner owner, NlmMessage.Test message);
}
