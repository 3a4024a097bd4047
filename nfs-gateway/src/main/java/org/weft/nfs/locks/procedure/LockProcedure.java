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

/**
 * LOCK and NM_LOCK, RFC 1813 sections 6.3.2 and 6.3.22.
 *
 * @param monitored false with NM_LOCK: its client sends no notices of starts, and gets none
 */
record LockProcedure(LockEntry entry, ClientLocks locks, boolean monitored)
    implements NlmOperation<NlmMessage.Lock> {
  @Override
  public NlmMessage.Lock read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Lock.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Answer> carryOut(RpcCall call, NlmMessage.Lock lock) {
    CompletableFuture<NlmStatus> status;
    try {
      status =
          locks.lock(
              entry.enterToHold(call, lock.lock(), lock.exclusive(), lock.state()),
              lock.block(),
              lock.reclaim(),
              monitored);
    } catch (FileException e) {
      status = CompletableFuture.failedFuture(e);
    }
    return LockStatus.answer(lock.cookie(), status);
  }

  @Override
  public Repeats repeats() {
    return Repeats.ANSWERED_AS_THE_FIRST;
  }
}
