package org.weft.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.callback.Callbacks;
import org.weft.client.volume.CheckCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.wire.CheckStatusReply;

/**
 * Checks of whole volumes (P 6.8d): the volume's manager looks for what contradicts itself, beside
 * its clients, and goes on when the client that asked for it has ended. A manager that starts
 * again, or takes the volume over, knows of no check: it is to be started again. Thread-safe.
 */
public final class VolumeChecks {
  private final VolumeRouter router;
  private final Callbacks callbacks;

  VolumeChecks(VolumeRouter router, Callbacks callbacks) {
    this.router = router;
    this.callbacks = callbacks;
  }

  /**
   * Begins one of the volume that holds the path, or finds the one that is under way. Fails with
   * BUSY if that one looks at less.
   *
   * @param parity compare parity with data as well, which reads everything
   */
  public CompletableFuture<VolumeCheckStatus> start(WeftPath path, boolean parity) {
    return call(path, checks -> checks.start(parity));
  }

  /**
   * How far it is, and some of its findings.
   *
   * @param id 0: the newest one
   * @param afterFinding findings behind the one with this number
   * @param max at most so many, up to 1,000
   */
  public CompletableFuture<VolumeCheckStatus> status(
      WeftPath path, long id, long afterFinding, int max) {
    return call(path, checks -> checks.status(id, afterFinding, max));
  }

  /**
   * Ends it; one that is over is left as it is.
   *
   * @param id 0: the newest one
   */
  public CompletableFuture<VolumeCheckStatus> cancel(WeftPath path, long id) {
    return call(path, checks -> checks.cancel(id));
  }

  private CompletableFuture<VolumeCheckStatus> call(
      WeftPath path, Function<CheckCalls, CompletableFuture<CheckStatusReply>> what) {
    return callbacks.deliver(
        router.at(
            path.toString(),
            calls ->
                what.apply(calls.checks())
                    .thenApply(reply -> VolumeCheckStatus.fromMessage(calls.mountPath(), reply))));
  }
}
