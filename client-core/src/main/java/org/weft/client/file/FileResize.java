package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.volume.GrantCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;

/**
 * Sets the length of a file of which no other call touches anything meanwhile, of this client or of
 * others (P 4.3). The manager knows all that was written before.
 *
 * <p>What is durable when: once a length is set it is in the manager's journal. A cut is then on
 * the stable storage of all components that the map calls present. If this client dies before, the
 * length is the old or the new one. The manager finishes a cut that was journalled, or the next
 * writer does before it writes.
 */
final class FileResize {
  /** So long a manager is asked again that puts in order what another writer left. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final GrantCalls calls;
  private final LongConsumer published;

  /**
   * @param published is told each length that the manager has journalled
   */
  FileResize(StripeUpdater updater, HeldGrant grant, GrantCalls calls, LongConsumer published) {
    this.updater = updater;
    this.grant = grant;
    this.calls = calls;
    this.published = published;
  }

  /**
   * Cuts the file, or lets it read as zeros up to there.
   *
   * @param refused is set if a quota had no room, or a client of an earlier release shares the file
   *     that is to be cut. Nothing was done then
   */
  CompletableFuture<Void> to(long sizeBytes, AtomicBoolean refused) {
    long before = updater.sizeBytes();
    if (sizeBytes == before) {
      return CompletableFuture.completedFuture(null);
    }
    return sizeBytes < before
        ? journal(sizeBytes)
            .whenComplete((set, thrown) -> refused.set(is(thrown, ErrorCode.UNSUPPORTED)))
            .thenCompose(set -> cut(sizeBytes, set))
        : share(sizeBytes, refused)
            .thenCompose(nothing -> updater.extend(sizeBytes))
            .thenCompose(nothing -> journal(sizeBytes))
            .thenAccept(set -> {});
  }

  /** Components must not be longer than a quota lets the file be, whichever manager resolves it. */
  private CompletableFuture<Void> share(long sizeBytes, AtomicBoolean refused) {
    return grant.reaches(sizeBytes)
        ? CompletableFuture.completedFuture(null)
        : grant
            .extend(sizeBytes)
            .whenComplete((nothing, thrown) -> refused.set(is(thrown, ErrorCode.QUOTA_EXCEEDED)));
  }

  private static boolean is(Throwable thrown, ErrorCode code) {
    return thrown != null && WeftException.of(thrown).code() == code;
  }

  private CompletableFuture<HeldGrant.LengthSet> journal(long sizeBytes) {
    return inForce(() -> grant.setLength(new FileSink.Written(sizeBytes, updater.complete())))
        .whenComplete(
            (set, thrown) -> {
              if (thrown == null) {
                published.accept(sizeBytes);
              }
            });
  }

  private CompletableFuture<Void> cut(long sizeBytes, HeldGrant.LengthSet journalled) {
    int truncationNumber = journalled.attributes().getTruncationNumber();
    journalled.terms().ifPresent(updater::goOnUnder);
    return updater
        .cut(sizeBytes, truncationNumber)
        .thenCompose(nothing -> trimmed(truncationNumber));
  }

  /**
   * Finishes a cut whose writer is gone, before anything else is done with the file (P 6.5.79).
   *
   * @param sizeBytes that it was to establish
   */
  CompletableFuture<Void> finish(long sizeBytes, int truncationNumber) {
    return updater
        .finishCut(sizeBytes, truncationNumber)
        .thenCompose(nothing -> trimmed(truncationNumber))
        .thenRun(() -> published.accept(sizeBytes));
  }

  private CompletableFuture<Void> trimmed(int truncationNumber) {
    return inForce(() -> grant.trimmed(truncationNumber, updater.complete()))
        .thenApply(attributes -> null);
  }

  /**
   * Asks the manager, which accepts the request only under a grant in force. Where another writer
   * of the file has died meanwhile, it wants this one to ask for another grant first. What this one
   * has done until then is done all the same, and its ranges stay its own (P 6.5.75).
   */
  private <T> CompletableFuture<T> inForce(Supplier<CompletableFuture<T>> word) {
    return inForce(word, calls.nowNanos() + PATIENCE_NANOS, calls.patience());
  }

  private <T> CompletableFuture<T> inForce(
      Supplier<CompletableFuture<T>> word, long untilNanos, Backoff.Delays delays) {
    return word.get()
        .exceptionallyCompose(
            thrown -> {
              WeftException why = WeftException.of(thrown);
              boolean again =
                  why.code() == ErrorCode.FENCED
                      && updater.isWritable()
                      && calls.nowNanos() - untilNanos < 0;
              if (!again) {
                return CompletableFuture.failedFuture(why);
              }
              updater.renewGrant(why);
              return calls
                  .pause(delays.nextNanos())
                  .thenCompose(nothing -> inForce(word, untilNanos, delays));
            });
  }
}
