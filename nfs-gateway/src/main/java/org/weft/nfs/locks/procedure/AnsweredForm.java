package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/** The synchronous form of an operation: its result is the reply. */
record AnsweredForm<A extends NlmMessage>(NlmOperation<A> operation) implements RpcProcedure {
  /** A cookie, and a holder with its owner. */
  private static final int MAX_REPLY_BYTES = 2 * (NetObject.MAX_BYTES + 64);

  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    A arguments = operation.read(in);
    return new RpcTask() {
      @Override
      public CompletionStage<OncReply> run(RpcCall call) {
        return operation.carryOut(call, arguments).thenApply(result -> result::write);
      }

      @Override
      public int mostReplyBytes() {
        return MAX_REPLY_BYTES;
      }
    };
  }

  @Override
  public Repeats repeats() {
    return operation.repeats();
  }
}
