package org.weft.nfs.locks.procedure;

import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/** FREE_ALL, RFC 1813 section 6.3.23: for a client at the address that it calls from. */
record FreeAllProcedure(ClientLocks locks) implements RpcProcedure {
  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    NlmMessage.FreeAll free = NlmMessage.FreeAll.read(in);
    return call ->
        locks.freeAll(call.client(), free.client(), 0).thenApply(done -> OncReply.NOTHING);
  }

  @Override
  public Repeats repeats() {
    return Repeats.ANSWERED_AS_THE_FIRST;
  }
}
