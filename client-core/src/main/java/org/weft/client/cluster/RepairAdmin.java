package org.weft.client.cluster;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;

/**
 * Pauses of rebuilds and drains (P 6.8). SysMgr records what is wanted, and managers obey within a
 * second or two, whichever of them stops and starts meanwhile. Each request may be repeated.
 *
 * <p>Thread-safe. Futures complete on the view's home executor and fail with an {@link
 * org.weft.protocol.error.WeftException}.
 */
public final class RepairAdmin {
  private final ClusterView cluster;

  public RepairAdmin(ClusterView cluster) {
    this.cluster = cluster;
  }

  /**
   * Pauses rebuilds, or lets them go on; completes when that is recorded, with the pause that is in
   * force then. INVALID_ARGUMENT without a reason, or for a time that is too short or too long.
   */
  public CompletableFuture<PauseRepairsReply> change(PauseRepairsRequest wanted) {
    return cluster.ask(Opcode.PAUSE_REPAIRS, wanted, PauseRepairsReply.parser());
  }
}
