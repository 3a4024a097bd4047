package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockStatus;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** CANCEL, RFC 1813 section 6.3.3: a lock that was waited for is not wanted any more. */
record CancelProcedure(LockEntry entry, ClientLocks locks)
    implements NlmOperation<NlmMessage.Cancel> {
  @Override
  public NlmMessage.Cancel read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Cancel.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Answer> carryOut(RpcCall call, NlmMessage.Cancel cancel) {
    CompletableFuture<NlmStatus> status;
    try {
      status = locks.cancel(entry.enterToGiveUp(call, cancel.lock(), cancel.exclusive()));
    } catch (FileException e) {
      status = CompletableFuture.failedFuture(e);
    }
    return LockStatus.answer(cancel.cookie(), status);
  }

  @Override
  public Repeats repeats() {
    return Repeats.ANSWERED_AS_THE_FIRST;
  }
}
