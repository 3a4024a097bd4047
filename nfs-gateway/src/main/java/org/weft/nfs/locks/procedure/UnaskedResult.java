package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * TEST_RES, LOCK_RES, CANCEL_RES and UNLOCK_RES: results of what a gateway never asks for. They are
 * accepted and change nothing.
 */
record UnaskedResult(OncRpcClient.ResultReader<? extends NlmMessage> reader)
    implements RpcProcedure {
  private static final Logger LOG = LoggerFactory.getLogger(UnaskedResult.class);

  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    NlmMessage result = reader.read(in);
    return call -> {
      LOG.debug("{}: a result that was not asked for: {}", call.client(), result);
      return CompletableFuture.completedFuture(OncReply.NOTHING);
    };
  }
}
