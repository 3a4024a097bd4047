package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.client.volume.GrantCalls;
import org.weft.client.volume.SessionGrant;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.wire.Grant;

/**
 * How long a writer may make its file before it asks the manager: a share of what a quota leaves (P
 * 6.6a). A file without a quota has no limit, and its writes pay one comparison. Thread-safe.
 */
final class WriteShare {
  /** Idle writers give their grants back within that. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final GrantCalls calls;
  private final Supplier<SessionGrant> held;
  private volatile long limitBytes;

  WriteShare(GrantCalls calls, Supplier<SessionGrant> held, Grant granted) {
    this.calls = calls;
    this.held = held;
    this.limitBytes = limit(granted);
  }

  private static long limit(Grant granted) {
    return granted.hasLengthLimit() ? granted.getLengthLimit() : FileLimits.MAX_FILE_BYTES;
  }

  /** The grant was replaced by another. */
  void replaced(Grant granted) {
    limitBytes = limit(granted);
  }

  /** The manager has given the file that length. */
  synchronized void given(long lengthBytes) {
    limitBytes = Math.max(limitBytes, lengthBytes);
  }

  /** The file may become so long. */
  boolean reaches(long lengthBytes) {
    return lengthBytes <= limitBytes;
  }

  /**
   * Completes when the file may become so long. Fails with QUOTA_EXCEEDED if there is no room for
   * that after idle writers have been asked for theirs.
   */
  CompletableFuture<Void> extend(long lengthBytes) {
    return ask(lengthBytes, calls.nowNanos() + PATIENCE_NANOS, calls.patience());
  }

  private CompletableFuture<Void> ask(long lengthBytes, long untilNanos, Backoff.Delays delays) {
    if (reaches(lengthBytes)) {
      return CompletableFuture.completedFuture(null);
    }
    boolean patient = calls.nowNanos() - untilNanos < 0;
    return calls
        .extendShare(held.get(), lengthBytes, patient)
        .thenAccept(
            reply ->
                given(reply.hasLengthLimit() ? reply.getLengthLimit() : FileLimits.MAX_FILE_BYTES))
        .exceptionallyCompose(
            thrown -> {
              WeftException why = WeftException.of(thrown);
              return patient && why.code() == ErrorCode.BUSY
                  ? later(lengthBytes, untilNanos, delays)
                  : CompletableFuture.failedFuture(why);
            });
  }

  private CompletableFuture<Void> later(long lengthBytes, long untilNanos, Backoff.Delays delays) {
    return calls
        .pause(delays.nextNanos())
        .thenCompose(nothing -> ask(lengthBytes, untilNanos, delays));
  }
}
