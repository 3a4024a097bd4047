package org.weft.client.cluster;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.BalanceRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.GetBalanceReply;
import org.weft.protocol.wire.GetBalanceRequest;

/**
 * Balances of BladeSets (P 6.8c). SysMgr records what is wanted and the managers carry it out,
 * whichever of them stops and starts meanwhile. Each request may be repeated.
 *
 * <p>Thread-safe. Futures complete on the view's home executor and fail with an {@link
 * org.weft.protocol.error.WeftException}.
 */
public final class BalanceAdmin {
  private final ClusterView cluster;

  public BalanceAdmin(ClusterView cluster) {
    this.cluster = cluster;
  }

  /** What would move now, and how far a balance is; nothing moves by it. */
  public CompletableFuture<GetBalanceReply> show(String bladeSet, int bandPpm) {
    return cluster.ask(
        Opcode.GET_BALANCE,
        GetBalanceRequest.newBuilder().setBladeSet(bladeSet).setBandPpm(bandPpm).build(),
        GetBalanceReply.parser());
  }

  /**
   * Starts, pauses, resumes or stops a balance; completes when that is recorded. NOT_FOUND without
   * such a BladeSet, or where none is under way; EXISTS if another one is; INVALID_ARGUMENT if
   * there is nothing to balance.
   */
  public CompletableFuture<Void> change(BalanceRequest wanted) {
    return cluster.ask(Opcode.BALANCE, wanted, Empty.parser()).thenApply(done -> null);
  }
}
