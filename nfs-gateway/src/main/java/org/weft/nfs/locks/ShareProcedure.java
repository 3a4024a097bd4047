package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileException;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * SHARE and UNSHARE, RFC 1813 sections 6.3.20 and 6.3.21: with these a DOS client keeps others from
 * opening a file. Reservations are not kept: one that holds at a single gateway would protect
 * nothing. So SHARE is FAILED, which unlike DENIED does not say that another client has the file
 * open. UNSHARE is GRANTED: nothing is reserved afterwards, and the specification (X/Open XNFS)
 * grants it also where nothing was.
 *
 * @param told to a client that may call for the file
 */
record ShareProcedure(Gatekeeper gate, NlmStatus told) implements NlmOperation<NlmMessage.Share> {
  @Override
  public NlmMessage.Share read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Share.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Shared> carryOut(RpcCall call, NlmMessage.Share share) {
    NlmStatus status = told;
    try {
      gate.enter(share.share().file().bytes(), call);
    } catch (FileException e) {
      status = LockStatus.of(e);
    }
    return CompletableFuture.completedFuture(new NlmMessage.Shared(share.cookie(), status, 0));
  }
}
