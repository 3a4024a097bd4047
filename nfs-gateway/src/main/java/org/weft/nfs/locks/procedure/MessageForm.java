package org.weft.nfs.locks.procedure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.locks.LockPeer;
import org.weft.nfs.locks.MessageCalls;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * The asynchronous form of an operation, such as LOCK_MSG. The reply is empty and leaves at once.
 * The result goes to the client's lock manager as a call of its own, LOCK_RES. A client that gets
 * no result asks again; the gateway repeats nothing.
 *
 * <p>A call is not carried out if the result of another call with the same cookie has not left yet.
 * The client could not tell the two results apart. Later ones are, since a client may use a cookie
 * again. Calls beyond the limits of {@link UnansweredMessages} are not carried out either.
 *
 * <p>A call from an address that no export admits is not carried out, and the address is not
 * called. So it takes no place from clients, and it cannot make the gateway call another host (P
 * 6.5f.11).
 *
 * @param result the procedure that the result is called with
 */
record MessageForm<A extends NlmMessage>(
    NlmOperation<A> operation,
    NlmProcedure result,
    UnansweredMessages unanswered,
    MessageCalls calls,
    Gatekeeper gate)
    implements RpcProcedure {
  private static final Logger LOG = LoggerFactory.getLogger(MessageForm.class);

  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    A arguments = operation.read(in);
    return call -> {
      begin(call, arguments);
      return CompletableFuture.completedFuture(OncReply.NOTHING);
    };
  }

  @Override
  public Repeats repeats() {
    return operation.repeats();
  }

  private void begin(RpcCall call, A arguments) {
    if (!gate.admits(call.client())) {
      LOG.debug("{}: nothing is exported to it, and {} is not carried out", call.client(), call);
      return;
    }
    var message =
        new UnansweredMessages.Message(
            peer(call),
            Export.isReserved(call.client()),
            call.procedure(),
            call.credential(),
            arguments);
    if (!unanswered.begin(message)) {
      LOG.debug("{}: {} is under way, or too many are", call.client(), call);
      return;
    }
    var unused =
        carryOut(call, arguments)
            .thenCompose(done -> calls.send(message.peer(), result, done))
            .whenComplete(
                (sent, failure) -> {
                  unanswered.end(message);
                  if (failure != null) {
                    LOG.debug("{}: {} was not told: {}", call.client(), result, failure.toString());
                  }
                });
  }

  private CompletionStage<NlmMessage> carryOut(RpcCall call, A arguments) {
    try {
      return operation.carryOut(call, arguments).thenApply(done -> done);
    } catch (RuntimeException e) {
      LOG.error("{}: {} failed", call.client(), call, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private static LockPeer peer(RpcCall call) {
    return new LockPeer(call.server().getAddress(), call.client().getAddress());
  }
}
