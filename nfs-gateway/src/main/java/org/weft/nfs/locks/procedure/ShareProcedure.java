package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockStatus;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * SHARE and UNSHARE, RFC 1813 sections 6.3.20 and 6.3.21. They say how a DOS client has opened a
 * file, and what others may not do meanwhile (X/Open XNFS). It holds among clients that say so, at
 * all gateways. Reads and writes do not ask for it.
 *
 * @param takes SHARE: refused for writing on a read-only export
 */
record ShareProcedure(LockEntry entry, ClientLocks locks, boolean takes)
    implements NlmOperation<NlmMessage.Share> {
  private static final NlmRange WHOLE_FILE = new NlmRange(0, 0);

  @Override
  public NlmMessage.Share read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Share.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Shared> carryOut(RpcCall call, NlmMessage.Share message) {
    NlmShare share = message.share();
    NlmLock opening = new NlmLock(share.client(), share.file(), share.owner(), 0, WHOLE_FILE);
    CompletableFuture<NlmStatus> status;
    try {
      status =
          takes
              ? locks.share(
                  entry.enterToHold(call, opening, share.writes(), 0), share, message.reclaim())
              : locks.unshare(entry.enterToGiveUp(call, opening, false));
    } catch (FileException e) {
      status = CompletableFuture.failedFuture(e);
    }
    return status
        .exceptionally(LockStatus::of)
        .thenApply(told -> new NlmMessage.Shared(message.cookie(), told, 0));
  }

  @Override
  public Repeats repeats() {
    return Repeats.ANSWERED_AS_THE_FIRST;
  }
}
