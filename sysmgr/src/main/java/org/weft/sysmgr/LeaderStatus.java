package org.weft.sysmgr;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.GetStatusRequest;

/**
 * The status for REST and the page of a member that may not lead: it asks the leader. A person
 * opens the page of any member, and does not know which one leads. Thread-safe; blocks nothing.
 *
 * @param name of this member, for the leader's log
 */
record LeaderStatus(Transport transport, String name) {
  private static final int CALL_MILLIS = 3_000;

  /**
   * Completes with the leader's status.
   *
   * @param own the status by this member; fails with NOT_LEADER if another one leads
   * @param leader where requests to the leader go, as far as this member knows
   * @return fails as {@code own} does; with UNAVAILABLE, which names the leader, if that does not
   *     reply
   */
  CompletionStage<ClusterStatus> status(
      CompletionStage<ClusterStatus> own, Supplier<Optional<Endpoint>> leader) {
    return own.exceptionallyCompose(
        failure -> {
          boolean isElsewhere = WeftException.of(failure).code() == ErrorCode.NOT_LEADER;
          return leader
              .get()
              .filter(known -> isElsewhere)
              .map(this::ask)
              .orElseGet(() -> CompletableFuture.failedFuture(failure));
        });
  }

  private CompletableFuture<ClusterStatus> ask(Endpoint leader) {
    RpcRequest request =
        RpcRequest.unsigned(Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), CALL_MILLIS);
    CompletableFuture<ClusterStatus> asked = new CompletableFuture<>();
    var unused =
        OneCall.ask(transport, leader, name, CALL_MILLIS, request)
            .whenComplete(
                (reply, failure) -> {
                  try {
                    if (failure != null) {
                      throw WeftException.of(failure);
                    }
                    asked.complete(reply.parse(ClusterStatus.parser()));
                  } catch (WeftException e) {
                    asked.completeExceptionally(
                        new WeftException(
                            ErrorCode.UNAVAILABLE,
                            "this SysMgr member does not lead, and the leader at "
                                + leader
                                + " does not reply: "
                                + e.getMessage(),
                            e));
                  }
                });
    return asked;
  }
}
