package org.weft.client.volume;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CancelCheckRequest;
import org.weft.protocol.wire.CheckStatusReply;
import org.weft.protocol.wire.CheckStatusRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.StartCheckRequest;

/** Requests about the check of a volume (P 6.8d). Thread-safe. */
public final class CheckCalls {
  private final VolumeSession session;

  CheckCalls(VolumeSession session) {
    this.session = session;
  }

  /** Begins one, or finds the one that is under way and looks at as much. */
  public CompletableFuture<CheckStatusReply> start(boolean parity) {
    return call(
        Opcode.START_CHECK,
        context -> StartCheckRequest.newBuilder().setContext(context).setParity(parity).build());
  }

  /**
   * How far it is.
   *
   * @param id 0: the newest one
   * @param afterFinding findings behind the one with this number
   * @param max at most so many
   */
  public CompletableFuture<CheckStatusReply> status(long id, long afterFinding, int max) {
    return call(
        Opcode.CHECK_STATUS,
        context ->
            CheckStatusRequest.newBuilder()
                .setContext(context)
                .setCheckId(id)
                .setAfterFinding(afterFinding)
                .setMax(max)
                .build());
  }

  /** Ends it. */
  public CompletableFuture<CheckStatusReply> cancel(long id) {
    return call(
        Opcode.CANCEL_CHECK,
        context -> CancelCheckRequest.newBuilder().setContext(context).setCheckId(id).build());
  }

  private CompletableFuture<CheckStatusReply> call(
      Opcode opcode, Function<RequestContext, MessageLite> body) {
    return session
        .call(
            VolumeRequest.repeatable(
                opcode, session.mount().path(), body, CheckStatusReply.parser()))
        .thenApply(SessionReply::body);
  }
}
