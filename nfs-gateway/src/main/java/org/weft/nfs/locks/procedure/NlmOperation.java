package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * What a procedure of the lock manager does. It is the same in both forms: the {@link AnsweredForm}
 * replies with the result, the {@link MessageForm} calls the client with it. Thread-safe.
 *
 * @param <A> its arguments
 */
interface NlmOperation<A extends NlmMessage> {
  A read(XdrReader in) throws MalformedXdrException;

  /** Completes with the result, on any thread; never fails. */
  CompletionStage<? extends NlmMessage> carryOut(RpcCall call, A arguments);

  default Repeats repeats() {
    return Repeats.CARRIED_OUT;
  }
}
