package org.weft.client.cluster;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.DeleteVolumeRequest;
import org.weft.protocol.wire.OperationState;
import org.weft.protocol.wire.VolumeOperation;

/**
 * Makes and deletes volumes. SysMgr records what is wanted and the managers carry it out, whichever
 * of them stop and start meanwhile. The request is repeated under one number until it is done, has
 * failed, or the time is over. In the last case it goes on by itself.
 *
 * <p>Thread-safe. Futures complete on the home executor and fail with a {@link WeftException} whose
 * text begins with the path.
 */
public final class VolumeAdmin {
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final ClusterView cluster;
  private final Environment environment;
  private final Executor home;
  private final long timeoutNanos;

  /**
   * @param home a serial executor that the caller owns
   * @param timeoutMillis how long to wait for an operation's end
   */
  public VolumeAdmin(
      ClusterView cluster, Environment environment, Executor home, long timeoutMillis) {
    this.cluster = cluster;
    this.environment = environment;
    this.home = home;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /**
   * Makes a volume; completes when it can be used. EXISTS if the name is taken, NOT_FOUND without a
   * directory above, PERMISSION_DENIED unless the user is the superuser or in the supergroup.
   *
   * @param wanted its nonce is drawn here
   */
  public CompletableFuture<VolumeOperation> create(CreateVolumeRequest wanted) {
    return begin(
        Opcode.CREATE_VOLUME, wanted.getPath(), wanted.toBuilder().setNonce(draw()).build());
  }

  /**
   * Deletes a volume; completes when it is gone. NOT_EMPTY if something is in it.
   *
   * @param wanted its nonce is drawn here
   */
  public CompletableFuture<VolumeOperation> delete(DeleteVolumeRequest wanted) {
    return begin(
        Opcode.DELETE_VOLUME, wanted.getPath(), wanted.toBuilder().setNonce(draw()).build());
  }

  private long draw() {
    return environment.random().nextLong() | 1;
  }

  private CompletableFuture<VolumeOperation> begin(Opcode opcode, String path, MessageLite body) {
    CompletableFuture<VolumeOperation> ended = new CompletableFuture<>();
    long deadlineNanos = environment.ticker().nowNanos() + timeoutNanos;
    ask(opcode, path, body, deadlineNanos, ended);
    return ended;
  }

  private void ask(
      Opcode opcode,
      String path,
      MessageLite body,
      long deadlineNanos,
      CompletableFuture<VolumeOperation> ended) {
    var unused =
        cluster
            .ask(opcode, body, VolumeOperation.parser())
            .whenComplete(
                (operation, failure) -> {
                  WeftException refusal = failure == null ? null : WeftException.of(failure);
                  if (refusal != null && refusal.code() != ErrorCode.UNAVAILABLE) {
                    ended.completeExceptionally(about(path, refusal));
                  } else if (refusal == null && operation.getState() == OperationState.DONE) {
                    ended.complete(operation);
                  } else if (refusal == null && operation.getState() == OperationState.FAILED) {
                    ended.completeExceptionally(
                        about(
                            path,
                            new WeftException(
                                ErrorCode.of(operation.getError()), operation.getMessage())));
                  } else if (environment.ticker().nowNanos() - deadlineNanos > 0) {
                    ended.completeExceptionally(late(path, refusal));
                  } else {
                    environment
                        .scheduler()
                        .schedule(
                            LOOK_AGAIN_NANOS,
                            home,
                            () -> ask(opcode, path, body, deadlineNanos, ended));
                  }
                });
  }

  private WeftException late(String path, WeftException refusal) {
    return new WeftException(
        ErrorCode.DEADLINE_EXCEEDED,
        path
            + ": not done within "
            + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos)
            + " s"
            + (refusal == null ? "" : " (" + refusal.getMessage() + ")")
            + "; it goes on by itself, `weft volume list` shows how it stands",
        refusal);
  }

  private static WeftException about(String path, WeftException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.startsWith(path)
        ? failure
        : new WeftException(failure.code(), path + ": " + message, failure);
  }
}
