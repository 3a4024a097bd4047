package org.weft.metadata.backup;

import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.SetBackupRequest;

/**
 * Reports of a primary to SysMgr about its backup (P 6.2). Each message has the next number of the
 * epoch, and SysMgr refuses a number that is not above the last. So a newer message makes all older
 * ones void, also those that are under way. The report that the row is to name none is repeated
 * until SysMgr has answered. Confined to the volume's thread.
 */
final class RowWords implements AutoCloseable {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Learns the result of the newest report, on the volume's thread. */
  interface Listener {
    /**
     * The row names this backup.
     *
     * @param backup 0: none
     */
    void named(int backup);

    /** It is not known whether the row names this backup; it is never 0. */
    void notNamed(int backup, WeftException why);

    /** The volume is another manager's, or in another epoch. */
    void deposed(WeftException why);
  }

  private final Pairing.Terms terms;
  private final PairReports reports;
  private final Scheduler scheduler;
  private final OwnedExecutor home;
  private final Listener listener;
  private long number;

  RowWords(
      Pairing.Terms terms,
      PairReports reports,
      Scheduler scheduler,
      OwnedExecutor home,
      Listener listener) {
    this.terms = terms;
    this.reports = reports;
    this.scheduler = scheduler;
    this.home = home;
    this.listener = listener;
  }

  /**
   * @param named the backup that the row is to name; 0: none
   * @param unreached the backup before is not reached, even if SysMgr gets its heartbeats
   */
  void say(int named, boolean unreached) {
    say(
        SetBackupRequest.newBuilder()
            .setManagerId(terms.manager())
            .setVolumeId(terms.volume())
            .setEpoch(terms.epoch())
            .setNumber(++number)
            .setBackupId(named)
            .setUnreached(unreached)
            .build());
  }

  private void say(SetBackupRequest request) {
    var unused =
        reports
            .setBackup(request)
            .whenCompleteAsync((nothing, failure) -> heard(request, failure), home);
  }

  private void heard(SetBackupRequest request, Throwable failure) {
    if (request.getNumber() != number) {
      return;
    }
    if (failure == null) {
      listener.named(request.getBackupId());
      return;
    }
    WeftException why = WeftException.of(failure);
    if (why.code() == ErrorCode.FENCED) {
      listener.deposed(why);
    } else if (request.getBackupId() != 0) {
      listener.notNamed(request.getBackupId(), why);
    } else {
      // The volume may be closed by then.
      scheduler.schedule(
          RETRY_NANOS, Runnable::run, () -> Pairing.onHome(home, () -> again(request)));
    }
  }

  private void again(SetBackupRequest request) {
    if (request.getNumber() == number) {
      say(request);
    }
  }

  /** Sends nothing more, and ignores all answers. */
  @Override
  public void close() {
    number++;
  }
}
