package org.weft.metadata.backup;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.ManagerRow;

/**
 * The backup of a volume as its primary sees it (P 6.2):
 *
 * <pre>
 *   alone --> copying --> catching up --> naming --> paired
 *     ^          |             |             |         |
 *     |<---------+-------------+             +<--------+  the backup is lost
 *     +<----------------------------------- losing: the row is to name none
 * </pre>
 *
 * <p>The primary holds commits back from before it asks SysMgr to name a backup until SysMgr has
 * said that the row names none. In that time it commits nothing that the backup does not have. So a
 * manager that the row names has all that was acknowledged. A start first takes the backup named
 * before it out of the row. The tails of the two may differ in what was never acknowledged, and no
 * such record is shown before that.
 *
 * <p>A primary that does not reach its backup may itself be the one that is cut off. SysMgr, which
 * reaches both, may then ask the primary to hand the volume over in place of naming none (giving):
 *
 * <ul>
 *   <li>Nothing acknowledged is lost. Nothing is committed after the loss of the backup, so the
 *       backup still has everything, and no other copy of it was begun.
 *   <li>The row is known. The backup is named anew first, under a number that makes void all
 *       earlier messages that may still be on their way. If the row named none meanwhile, it names
 *       the backup again, which is as true as it was. Else the hand-over could meet a row without a
 *       backup, and no manager would serve.
 *   <li>No two managers serve: this one ends its service before it asks for the hand-over, and the
 *       row, with its epoch, decides on that alone.
 * </ul>
 *
 * <p>A volume may be taken up, or lose its backup, while another manager is up. Then it commits
 * nothing until that manager is its backup, for {@link #HOLD_NANOS} at most.
 *
 * <p>Confined to the volume's thread.
 */
public final class Pairing implements AutoCloseable {
  static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final Logger LOG = LoggerFactory.getLogger(Pairing.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** So that two managers that both cannot open the journal do not use up its epochs. */
  private static final long START_FAILED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum State {
    STARTING,
    ALONE,
    COPYING,
    CATCHING_UP,
    NAMING,
    PAIRED,
    LOSING,
    GIVING,
    ENDED
  }

  /**
   * The volume, its epoch, and its manager.
   *
   * @param namedBefore the backup that the row names at the start; 0: none
   * @param wanted the volume looks for a backup
   * @param superuser of the volume
   */
  public record Terms(
      long volume, long epoch, int manager, int namedBefore, boolean wanted, String superuser) {}

  private final Terms terms;
  private final BackupLinks links;
  private final PairReports reports;
  private final RowWords words;
  private final OwnedExecutor home;
  private final Consumer<String> deposed;
  private final WantedPrimary wanted;
  private final BackupCandidates candidates;
  private final CompletableFuture<Void> settled = new CompletableFuture<>();
  private volatile State state = State.STARTING;
  private volatile Ear lastLost;
  private ReplicatedJournal journal;
  private Optional<HandOverCall> handOver = Optional.empty();
  private BackupStream stream;
  private CopyTurns.Turn turn;
  private volatile int backup;
  private int inRow;
  private long attempts;
  private Lsn mustHave = Lsn.ZERO;
  private boolean holding;
  private long holdEndNanos;
  private Timer timer = () -> {};

  /**
   * @param deposed is called on home when the volume is another manager's
   */
  public Pairing(
      Terms terms,
      BackupLinks links,
      PairReports reports,
      KnownManagers known,
      OwnedExecutor home,
      Consumer<String> deposed) {
    this.terms = terms;
    this.links = links;
    this.reports = reports;
    this.home = home;
    this.deposed = deposed;
    this.inRow = terms.namedBefore();
    this.words =
        new RowWords(terms, reports, links.environment().scheduler(), home, new RowListener());
    this.wanted = new WantedPrimary(terms.volume(), terms.manager(), known.table());
    this.candidates = new BackupCandidates(terms, wanted, known, links.environment().ticker());
  }

  /**
   * Completes when the row names no backup of an earlier epoch any more. Before that nothing of the
   * journal may be shown, nor be flushed. After {@link #close} or {@link #handOver}: never.
   *
   * @param opened the volume's journal, which is copied from now on
   */
  public CompletableFuture<Void> settle(ReplicatedJournal opened) {
    if (state == State.ENDED) {
      return settled;
    }
    journal = opened;
    if (inRow == 0) {
      state = State.ALONE;
      settled.complete(null);
    } else {
      candidates.distrust(inRow);
      state = State.LOSING;
      words.say(0, false);
    }
    return settled;
  }

  /** How the volume's backup is, for people. Any thread. */
  public PairStatus status() {
    return switch (state) {
      case PAIRED -> PairStatus.of(PairStatus.State.IN_STEP, backup, journal);
      case COPYING, CATCHING_UP, NAMING ->
          PairStatus.of(PairStatus.State.CATCHING_UP, backup, journal);
      case STARTING, ALONE, LOSING, GIVING, ENDED ->
          PairStatus.alone(terms.wanted() ? PairStatus.State.NONE : PairStatus.State.OFF);
    };
  }

  /** Looks for a backup from now on. */
  public void begin() {
    hold();
    look();
  }

  private void look() {
    if (state == State.ENDED) {
      return;
    }
    if (lastLost != null) {
      // Its task was refused if too many waited on this thread.
      lastLost.lostNow();
    }
    if (holding && nowNanos() - holdEndNanos >= 0) {
      stopHolding();
    }
    if (state == State.COPYING && !holding && !stream.hasRoom()) {
      leaveSlow();
    }
    if (state == State.PAIRED) {
      stream.tellRest();
      moveOn();
    }
    if (state == State.ENDED) {
      return;
    }
    if (state == State.ALONE) {
      Optional<ManagerRow> candidate = candidates.next();
      if (candidate.isPresent()) {
        // Without a turn the next look tries again.
        turn = links.turns().take();
        if (turn != null) {
          copyTo(candidate.get());
        }
      } else if (holding) {
        stopHolding();
      }
    }
    timer.cancel();
    timer = links.environment().scheduler().schedule(LOOK_NANOS, home, this::look);
  }

  /**
   * A volume that moves has its target as its backup, whatever else is wanted, and goes there as
   * soon as the row says so. A drained backup, or one whose heartbeats SysMgr misses, is replaced
   * where there is another manager.
   */
  private void moveOn() {
    if (wanted.is(backup)) {
      LOG.info("volume {} moves to manager {}", terms.volume(), backup);
      deposed.accept("it has moved to manager-" + backup);
      return;
    }
    boolean isGone = candidates.isGone(backup);
    boolean mustGo =
        !terms.wanted() || wanted.row().isPresent() || wanted.isDraining(backup) || isGone;
    if (mustGo && (!terms.wanted() || candidates.next().isPresent())) {
      LOG.info("volume {} leaves its backup, manager {}", terms.volume(), backup);
      leaveBackup(false);
    }
  }

  private void hold() {
    if (candidates.next().isPresent()) {
      holding = true;
      holdEndNanos = nowNanos() + HOLD_NANOS;
      var unused = journal.require();
    }
  }

  /** The volume goes on without a backup, until there is one. */
  private void stopHolding() {
    holding = false;
    if (state == State.ALONE || state == State.COPYING) {
      LOG.warn("volume {} has no backup: what it acknowledges is on one manager", terms.volume());
      journal.release();
    }
  }

  private void copyTo(ManagerRow row) {
    backup = row.getManagerId();
    CopyIdentity identity =
        CopyIdentity.newBuilder()
            .setVolumeId(terms.volume())
            .setEpoch(terms.epoch())
            .setAttempt(++attempts)
            .build();
    long attempt = attempts;
    BackupStream[] made = new BackupStream[1];
    made[0] = links.to(row, identity, new Ear(attempt, made));
    stream = made[0];
    state = State.COPYING;
    journal.attach(stream);
    stream.start(terms.superuser(), () -> journal.local().beginCopy());
  }

  /** Learns what becomes of one stream. Called on any thread. */
  private final class Ear implements BackupStream.Listener {
    private final long attempt;
    private final BackupStream[] stream;
    private volatile WeftException why;

    private Ear(long attempt, BackupStream[] stream) {
      this.attempt = attempt;
      this.stream = stream;
    }

    @Override
    public void acknowledged(Lsn upTo) {
      journal.acknowledged(stream[0], upTo);
      if (state == State.CATCHING_UP) {
        tell(Pairing.this::nameIfItHasAll);
      }
    }

    @Override
    public void caughtUp() {
      tell(Pairing.this::caughtUp);
    }

    @Override
    public void lost(WeftException why) {
      this.why = why;
      lastLost = this;
      tell(this::lostNow);
    }

    private void lostNow() {
      if (stream[0] == Pairing.this.stream) {
        Pairing.this.lost(why, why.code().isInDoubt());
      }
    }

    private void tell(Runnable news) {
      onHome(
          () -> {
            if (attempt == attempts && state != State.ENDED) {
              news.run();
            }
          });
    }
  }

  private void onHome(Runnable task) {
    onHome(home, task);
  }

  /** On the volume's thread; not at all if the volume has been closed. Any thread. */
  static void onHome(OwnedExecutor home, Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("a volume that has been closed, or has too much to do, looks at it later");
    }
  }

  private void caughtUp() {
    if (state == State.COPYING) {
      giveTurnBack();
      state = State.CATCHING_UP;
      mustHave = journal.require();
      nameIfItHasAll();
    }
  }

  private void nameIfItHasAll() {
    if (state == State.CATCHING_UP && journal.there().compareTo(mustHave) >= 0) {
      state = State.NAMING;
      holding = false;
      inRow = backup;
      words.say(backup, false);
    }
  }

  /**
   * More records wait than may, so the volume answers nothing until the copy is over. The row names
   * no backup yet: it goes on alone.
   */
  private void leaveSlow() {
    LOG.warn(
        "manager {} takes the copy of volume {} more slowly than records come; it is tried again in"
            + " {} s",
        backup,
        terms.volume(),
        TimeUnit.NANOSECONDS.toSeconds(BackupCandidates.SLOW_NANOS));
    candidates.isTooSlow(backup);
    leaveBackup(false);
  }

  private void giveTurnBack() {
    if (turn != null) {
      turn.giveBack();
      turn = null;
    }
  }

  private void lost(WeftException why, boolean unreached) {
    LOG.warn(
        "volume {} loses its backup, manager {}: {}", terms.volume(), backup, why.getMessage());
    candidates.distrust(backup);
    leaveBackup(unreached);
  }

  private void leaveBackup(boolean unreached) {
    giveTurnBack();
    journal.detach();
    stream = null;
    switch (state) {
      case COPYING, CATCHING_UP -> alone();
      case NAMING, PAIRED, GIVING -> {
        state = State.LOSING;
        words.say(0, unreached);
      }
      default -> {}
    }
  }

  private void alone() {
    state = State.ALONE;
    if (candidates.next().isEmpty() || !holding) {
      holding = false;
      journal.release();
    }
    look();
  }

  private final class RowListener implements RowWords.Listener {
    @Override
    public void named(int named) {
      if (named != 0 && state == State.GIVING) {
        endFor(named);
        return;
      }
      if (named != 0) {
        LOG.info("volume {} has manager {} as its backup", terms.volume(), named);
        state = State.PAIRED;
        moveOn();
        return;
      }
      inRow = 0;
      boolean starting = !settled.isDone();
      state = State.ALONE;
      settled.complete(null);
      if (!starting) {
        hold();
        alone();
      }
    }

    @Override
    public void notNamed(int named, WeftException why) {
      lost(why, false);
    }

    @Override
    public void deposed(WeftException why) {
      deposed.accept("this manager was deposed: " + why.getMessage());
    }
  }

  /**
   * The row's backup reaches more OSDs, and is to serve the volume. Nothing happens unless the row
   * names that manager and it has all that was acknowledged. Then the volume ends here, like a
   * volume that has moved. Durable is nothing but what was before: the backup has it. While the row
   * is to name none, the backup is named anew first. Any thread.
   */
  public void handOverTo(int manager) {
    onHome(
        () -> {
          if (inRow == manager && (state == State.PAIRED || state == State.STARTING)) {
            endFor(manager);
          } else if (inRow == manager && state == State.LOSING && settled.isDone()) {
            state = State.GIVING;
            words.say(manager, false);
          }
        });
  }

  private void endFor(int manager) {
    deposed.accept("manager-" + manager + " reaches OSDs that this one does not reach");
  }

  /**
   * The volume is not served here any more, for a reason that does not hold elsewhere. Its backup
   * is to serve it, if the row names one. It is asked for until {@link #close}.
   */
  public void handOver() {
    boolean started = settled.isDone();
    end();
    if (inRow == 0) {
      return;
    }
    HandOverRequest request =
        HandOverRequest.newBuilder()
            .setManagerId(terms.manager())
            .setVolumeId(terms.volume())
            .setEpoch(terms.epoch())
            .setBackupId(inRow)
            .build();
    HandOverCall call = new HandOverCall(request, reports, links.environment(), home);
    handOver = Optional.of(call);
    call.start(started ? 0 : START_FAILED_NANOS);
  }

  private long nowNanos() {
    return links.environment().ticker().nowNanos();
  }

  private void end() {
    state = State.ENDED;
    giveTurnBack();
    words.close();
    timer.cancel();
    if (journal != null) {
      journal.detach();
    }
  }

  /** Looks for nothing more. What waits for the backup is never committed. */
  @Override
  public void close() {
    end();
    handOver.ifPresent(HandOverCall::close);
  }
}
