package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * GRANTED, RFC 1813 section 6.3.5: another server says that a lock was granted. A gateway waits for
 * no lock at other servers. DENIED makes the caller free it.
 */
record GrantedProcedure() implements NlmOperation<NlmMessage.Test> {
  @Override
  public NlmMessage.Test read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Test.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Answer> carryOut(RpcCall call, NlmMessage.Test granted) {
    return CompletableFuture.completedFuture(
        new NlmMessage.Answer(granted.cookie(), NlmStatus.DENIED));
  }
}
