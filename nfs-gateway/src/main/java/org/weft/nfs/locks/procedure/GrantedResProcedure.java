package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletableFuture;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/** GRANTED_RES: what a client says to a lock that it was called for with GRANTED_MSG. */
record GrantedResProcedure(ClientLocks locks) implements RpcProcedure {
  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    NlmMessage.Answer answer = NlmMessage.Answer.read(in);
    return call -> {
      locks.answered(call.client().getAddress(), answer.cookie(), answer.status());
      return CompletableFuture.completedFuture(OncReply.NOTHING);
    };
  }
}
