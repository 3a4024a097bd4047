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

/** UNLOCK, RFC 1813 section 6.3.4. */
record UnlockProcedure(LockEntry entry, ClientLocks locks)
    implements NlmOperation<NlmMessage.Unlock> {
  @Override
  public NlmMessage.Unlock read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Unlock.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Answer> carryOut(RpcCall call, NlmMessage.Unlock unlock) {
    CompletableFuture<NlmStatus> status;
    try {
      status = locks.unlock(entry.enterToGiveUp(call, unlock.lock(), false));
    } catch (FileException e) {
      status = CompletableFuture.failedFuture(e);
    }
    return LockStatus.answer(unlock.cookie(), status);
  }

  @Override
  public Repeats repeats() {
    return Repeats.ANSWERED_AS_THE_FIRST;
  }
}
