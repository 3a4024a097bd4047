package org.weft.client.health;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.callback.Callbacks;
import org.weft.client.volume.CheckCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.wire.CheckStatusReply;

/**
 * What volumes have lost, and checks of whole volumes (P 6.8d). The volume's manager looks for what
 * contradicts itself, beside its clients. It goes on when the client that asked for it has ended. A
 * manager that starts again, or takes the volume over, knows of no check: it is to be started
 * again. PERMISSION_DENIED but for the superuser and members of group "supergroup". Thread-safe.
 */
public final class HealthCalls {
  private final VolumeRouter router;
  private final Callbacks callbacks;

  /**
   * @param callbacks where futures complete
   */
  public HealthCalls(VolumeRouter router, Callbacks callbacks) {
    this.router = router;
    this.callbacks = callbacks;
  }

  /**
   * Files that have lost bytes, of the volume that holds the path.
   *
   * @param after behind the file with this object id; 0: from the first one on
   * @param max at most so many, up to 1,000
   */
  public CompletableFuture<DamagedFiles> damage(String path, long after, int max) {
    return callbacks.deliver(
        router.at(
            path,
            calls ->
                calls
                    .listDamage(after, max)
                    .thenApply(reply -> DamagedFiles.fromMessage(calls.mountPath(), reply))));
  }

  /**
   * Begins a check of the volume that holds the path, or finds the one that is under way. Fails
   * with BUSY if that one looks at less.
   *
   * @param parity compare parity with data as well, which reads everything
   */
  public CompletableFuture<VolumeCheckStatus> startCheck(String path, boolean parity) {
    return call(path, checks -> checks.start(parity));
  }

  /**
   * How far a check is, and some of its findings.
   *
   * @param id 0: the newest one
   * @param afterFinding findings behind the one with this number
   * @param max at most so many, up to 1,000
   */
  public CompletableFuture<VolumeCheckStatus> checkStatus(
      String path, long id, long afterFinding, int max) {
    return call(path, checks -> checks.status(id, afterFinding, max));
  }

  /**
   * Ends a check; one that is over is left as it is.
   *
   * @param id 0: the newest one
   */
  public CompletableFuture<VolumeCheckStatus> cancelCheck(String path, long id) {
    return call(path, checks -> checks.cancel(id));
  }

  private CompletableFuture<VolumeCheckStatus> call(
      String path, Function<CheckCalls, CompletableFuture<CheckStatusReply>> what) {
    return callbacks.deliver(
        router.at(
            path,
            calls ->
                what.apply(calls.checks())
                    .thenApply(reply -> VolumeCheckStatus.fromMessage(calls.mountPath(), reply))));
  }
}
