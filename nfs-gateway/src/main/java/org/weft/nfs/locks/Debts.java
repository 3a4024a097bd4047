package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.seam.Environment;

/**
 * Unlocks locks that a client no longer has, while their manager could not be told. This is
 * repeated until it is done: the client has started again and will not ask for it. Before its owner
 * gets a new lock of the file that is paid. Confined to the executor of the locks.
 */
final class Debts {
  private static final Logger LOG = LoggerFactory.getLogger(Debts.class);
  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(30));

  private final Environment environment;
  private final Executor home;
  private final BiFunction<OwnedFile, ByteRange, CompletableFuture<NlmStatus>> release;
  private final Consumer<OwnedFile> paid;
  private boolean closed;

  /**
   * @param release asks the manager once, in the owner's turn; never fails
   * @param paid receives a file whose debts are paid, later than its call was answered: it may be
   *     idle
   */
  Debts(
      Environment environment,
      Executor home,
      BiFunction<OwnedFile, ByteRange, CompletableFuture<NlmStatus>> release,
      Consumer<OwnedFile> paid) {
    this.environment = environment;
    this.home = home;
    this.release = release;
    this.paid = paid;
  }

  /** Unlocks it; what fails is repeated later. Tells what came of it first, and never fails. */
  CompletableFuture<NlmStatus> release(OwnedFile file, ByteRange range) {
    file.owed = file.owed.plus(range);
    return pay(file)
        .thenApplyAsync(
            status -> {
              if (status != NlmStatus.GRANTED) {
                LOG.warn(
                    "{} of {} is not unlocked yet ({}); it is tried again",
                    file.key.file(),
                    file.key.owner().name(),
                    status);
                later(file, RETRIES.begin(environment.random()));
              }
              return status;
            },
            home);
  }

  /** Unlocks all that is owed, in the owner's turn; GRANTED if nothing is left. */
  CompletableFuture<NlmStatus> pay(OwnedFile file) {
    return LockStatus.whileGranted(
        file.owed.list(),
        range -> release.apply(file, range).thenApplyAsync(done -> paid(file, range, done), home));
  }

  private static NlmStatus paid(OwnedFile file, ByteRange range, NlmStatus status) {
    // The file is gone, and its locks with it.
    boolean done = status == NlmStatus.GRANTED || status == NlmStatus.STALE_HANDLE;
    if (done) {
      file.owed = file.owed.minus(range);
      file.unlocked(range);
    }
    return done ? NlmStatus.GRANTED : status;
  }

  private void later(OwnedFile file, Backoff.Delays delays) {
    if (file.paying) {
      return;
    }
    file.paying = true;
    environment
        .scheduler()
        .schedule(
            delays.nextNanos(),
            home,
            () -> {
              file.paying = false;
              again(file, delays);
            });
  }

  private void again(OwnedFile file, Backoff.Delays delays) {
    if (closed || file.owed.isEmpty()) {
      return;
    }
    file.underWay++;
    var unused =
        file.inTurn(() -> pay(file))
            .whenCompleteAsync(
                (status, failure) -> {
                  file.underWay--;
                  if (failure != null || status != NlmStatus.GRANTED) {
                    later(file, delays);
                  } else {
                    paid.accept(file);
                  }
                },
                home);
  }

  void close() {
    closed = true;
  }
}
