package org.weft.metadata;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.SysmgrLink;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.UnwrittenJournal;
import org.weft.metadata.serving.offline.OfflineVolume;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.CheckState;
import org.weft.protocol.wire.CheckStatusReply;
import org.weft.protocol.wire.LookAtVolumeRequest;

/**
 * The course of a check of a volume that no manager serves (P 6.8d), by the data directory of the
 * manager that had it last. It holds the directory's lock, changes nothing in it, and sends OSDs
 * nothing but questions. SysMgr gives it the keys while no lease runs. It asks SysMgr again while
 * it goes on and when it is done. If a manager has taken the volume up meanwhile, the result is
 * void. It leaves nothing durable: killed at any moment, it leaves no trace.
 *
 * <p>Methods may be called from any thread; futures complete on its own. {@link #of} reads the disk
 * and {@link #release} waits, the others do not block. {@link OfflineCheck} waits for them.
 */
public final class OfflineCheckCourse {
  private static final Logger LOG = LoggerFactory.getLogger(OfflineCheckCourse.class);
  private static final String CALLER = "offline-check";
  private static final int RESOLVE_THREADS = 2;
  private static final int RESOLVE_QUEUE_LIMIT = 4_096;
  private static final long OPEN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** A manager that was just killed has a lease for two seconds more. */
  private static final long LEASE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final long ABSENCE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Twice within a lease: a manager whose heartbeats arrive has a lease for longer. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long MAX_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1_800);

  private final OfflineCheck.Wanted wanted;
  private final Environment environment;
  private final DataDirectory directory;
  private final ManagerIdentity identity;
  private final JournalProgress progress;
  private final OwnedExecutor home;
  private final OwnedExecutor resolvers;
  private final SysmgrLink link;
  private final SysmgrCalls sysmgr;
  private volatile String mountPath = "/";

  // Confined to the home executor.
  private ClusterView view;
  private OsdConnections connections;
  private OfflineVolume volume;
  private boolean owns;
  private long epoch;
  private long lastLookNanos;
  private Timer timer = () -> {};
  private WeftException voided;
  private boolean looking;
  private boolean proving;
  private boolean proven;
  private boolean closed;

  private OfflineCheckCourse(
      OfflineCheck.Wanted wanted, Environment environment, DataDirectory directory)
      throws IOException {
    this.wanted = wanted;
    this.environment = environment;
    this.directory = directory;
    this.identity = directory.identity();
    this.progress = directory.progress();
    this.home = environment.scheduler().newSerialExecutor(CALLER);
    this.resolvers =
        environment.scheduler().newPool("resolve", RESOLVE_THREADS, RESOLVE_QUEUE_LIMIT);
    this.link =
        new SysmgrLink(
            environment.transport(),
            wanted.sysmgrs(),
            identity::cluster,
            CALLER,
            SysmgrCalls.TIMEOUT_MILLIS,
            home);
    this.sysmgr = new SysmgrCalls(link, JoinSecret.of(wanted.joinToken()));
  }

  /**
   * One that has not begun.
   *
   * @param folders the data directory; it is closed by {@link #release}, and if this fails
   * @throws WeftException NOT_FOUND: no manager has used it
   */
  public static OfflineCheckCourse of(
      OfflineCheck.Wanted wanted, DataFolders folders, Environment environment) throws IOException {
    DataDirectory directory = new DataDirectory(folders, JournalOptions.DEFAULT);
    try {
      return new OfflineCheckCourse(wanted, environment, directory);
    } catch (IOException | RuntimeException e) {
      directory.close();
      throw e;
    }
  }

  private record Read(VolumeAssignment assignment, UnwrittenJournal journal) {}

  /**
   * Asks SysMgr, reads the journal, lays it over what OSDs hold, and begins the check. Once.
   *
   * @return fails with UNAVAILABLE: SysMgr does not answer, or too few OSDs are up. UNSUPPORTED:
   *     SysMgr, or an OSD, is of an older release. BUSY: a manager serves the volume. FENCED: the
   *     directory does not have the newest journal. NOT_FOUND: there is no such volume, or no
   *     journal of it. WRONG_CLUSTER. BAD_CHECKSUM: the journal is damaged. OVERLOADED: memory is
   *     not enough. {@link #close} is next then, too
   */
  public CompletableFuture<Void> begin() {
    return retried(this::firstLook)
        // Not at home: SysMgr is asked on while it is read.
        .thenApplyAsync(this::read, resolvers)
        .thenCompose(read -> opened().thenAcceptAsync(there -> layOver(read, there), home))
        .thenCompose(
            laid ->
                retried(
                    () -> {
                      volume.requireOsds();
                      return volume.requireAllLookedAt().toCompletableFuture();
                    }))
        .thenCompose(nothing -> onHome(() -> volume.begin(wanted.parity())));
  }

  private Read read(AcquiredVolume given) {
    try {
      VolumeAssignment assignment = VolumeAssignment.of(given, 0);
      mountPath = assignment.settings().path();
      PartitionId id = assignment.settings().volume();
      UnwrittenJournal journal =
          UnwrittenJournal.look(
              directory.journalToLookAt(id, assignment.epoch(), isOwn(given)),
              new JournalIdentity(id, identity.cluster().orElseThrow()));
      if (journal.contents().isEmpty()) {
        throw new WeftException(
            ErrorCode.NOT_FOUND,
            "the volume is formatted, but its journal in this directory is empty; bring back the"
                + " manager's data directory");
      }
      if (Long.compareUnsigned(journal.contents().lastLsn().epoch(), assignment.epoch()) > 0) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "the journal is of epoch %d, and SysMgr knows of epoch %d as the last: SysMgr was restored from an older copy; let the manager serve the volume first"
                .formatted(journal.contents().lastLsn().epoch(), assignment.epoch()));
      }
      return new Read(assignment, journal);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private CompletableFuture<ClusterView> opened() {
    CompletableFuture<ClusterView> opened = new CompletableFuture<>();
    var unused =
        ClusterView.open(
                ClusterViewOptions.of(wanted.sysmgrs(), identity.cluster(), CALLER)
                    .provenBy(JoinSecret.of(wanted.joinToken())),
                environment,
                home)
            .whenComplete(
                (there, failure) -> {
                  if (failure != null) {
                    opened.completeExceptionally(failure);
                  } else if (!opened.complete(there)) {
                    there.close();
                  }
                });
    environment
        .scheduler()
        .schedule(
            OPEN_PATIENCE_NANOS,
            home,
            () ->
                opened.completeExceptionally(
                    new WeftException(ErrorCode.DEADLINE_EXCEEDED, "SysMgr does not reply")));
    return opened;
  }

  private void layOver(Read read, ClusterView there) {
    if (closed) {
      there.close();
      throw new CompletionException(
          new WeftException(ErrorCode.CANCELLED, "the check has been closed"));
    }
    view = there;
    connections = new OsdConnections(environment, view, identity::cluster, CALLER);
    StripeEngine stripes =
        StripeEngine.withoutReports(
            environment, connections, resolvers, ManagerTuning.DEFAULT.stripes());
    view.addListener(table -> connections.directoryChanged());
    volume =
        new OfflineVolume(
            environment,
            read.assignment(),
            view,
            connections,
            stripes,
            read.journal(),
            wanted.limits(),
            home,
            this::isVoid);
    view.addListener(table -> home.execute(() -> volume.tableChanged(table)));
  }

  private boolean isOwn(AcquiredVolume given) {
    return given.getVolume().getManagerId() == identity.managerId();
  }

  /**
   * What is done next, the journal's reading too, counts only if SysMgr goes on saying the same.
   */
  private CompletableFuture<AcquiredVolume> firstLook() {
    long sentNanos = environment.ticker().nowNanos();
    return look(0)
        .thenApplyAsync(
            given -> {
              epoch = given.getVolume().getEpoch();
              owns = isOwn(given);
              lastLookNanos = sentNanos;
              keepLooking();
              return given;
            },
            home);
  }

  private CompletableFuture<AcquiredVolume> look(long since) {
    return sysmgr
        .look(
            LookAtVolumeRequest.newBuilder()
                .setPath(wanted.path())
                .setIdentity(identity.identity())
                .setManagerId(identity.managerId())
                .setIncarnation(identity.incarnation())
                .addAllKnownStarts(identity.starts())
                .setChange(progress.atOpening())
                .setEpoch(since)
                .build())
        .thenApply(reply -> reply.getVolume())
        .exceptionallyCompose(
            failure -> {
              WeftException why = WeftException.of(failure);
              return CompletableFuture.failedFuture(
                  why.code() == ErrorCode.UNSUPPORTED ? olderSysmgr(why) : why);
            });
  }

  private static WeftException olderSysmgr(WeftException why) {
    return new WeftException(
        ErrorCode.UNSUPPORTED,
        "SysMgr is of a release that knows no check without a manager; upgrade it first ("
            + why.getMessage()
            + ")",
        why);
  }

  /** While the check goes on, so that it does not go on for hours for nothing. */
  private void keepLooking() {
    if (closed || voided != null || proven) {
      return;
    }
    if (!looking) {
      looking = true;
      long sentNanos = environment.ticker().nowNanos();
      var unused =
          look(epoch)
              .whenCompleteAsync(
                  (given, failure) -> {
                    looking = false;
                    looked(
                        sentNanos,
                        failure == null
                            ? Optional.empty()
                            : Optional.of(WeftException.of(failure)));
                  },
                  home);
    }
    timer = environment.scheduler().schedule(LOOK_NANOS, home, this::keepLooking);
  }

  /**
   * SysMgr's state is that of some moment between a question and its answer. So the time without an
   * answer runs from the question before to this answer.
   */
  private void looked(long sentNanos, Optional<WeftException> failure) {
    long nowNanos = environment.ticker().nowNanos();
    long gapNanos = nowNanos - lastLookNanos;
    if (failure.isPresent() && failure.get().code() != ErrorCode.UNAVAILABLE) {
      isVoid(failure.get());
    } else if (failure.isEmpty()) {
      // The manager of this directory cannot go on, since this check holds its lock. Another
      // manager that was frozen could go on within its epoch, and be silent again.
      if (!owns && gapNanos > MAX_GAP_NANOS) {
        isVoid(
            new WeftException(
                ErrorCode.UNAVAILABLE,
                "SysMgr did not say for %d ms that the volume's manager was silent"
                    .formatted(TimeUnit.NANOSECONDS.toMillis(gapNanos))));
      }
      lastLookNanos = Math.max(lastLookNanos, sentNanos);
    }
  }

  private void isVoid(WeftException why) {
    if (voided == null && !closed) {
      LOG.warn("the check is void: {}", why.getMessage());
      voided = why;
    }
  }

  /** Where the volume stands. */
  public String mountPath() {
    return mountPath;
  }

  /**
   * How far it is, with findings once it is done. It is done only when SysMgr and the OSDs have
   * said once more that no manager has served the volume meanwhile. It has failed, with the reason,
   * if one has.
   *
   * @param afterFinding findings behind that one
   * @param max so many of them
   */
  public CompletableFuture<CheckStatusReply> status(long afterFinding, int max) {
    return onHome(
        () -> CompletableFuture.completedFuture(judged(volume.status(afterFinding, max))));
  }

  private CheckStatusReply judged(CheckStatusReply now) {
    boolean isDone = now.getState() == CheckState.CHECK_DONE;
    if (voided == null && isDone && proven) {
      return now;
    }
    // A result that may turn out to be void is not reported.
    CheckStatusReply.Builder told = now.toBuilder().clearFinding().setMore(false);
    if (voided != null) {
      told.setState(CheckState.CHECK_FAILED)
          .setDoing("what it found is void: " + voided.getMessage());
    } else if (isDone) {
      if (!proving) {
        proving = true;
        prove(environment.ticker().nowNanos());
      }
      told.setState(CheckState.CHECK_RUNNING)
          .setDoing("asking whether a manager has served the volume meanwhile");
    }
    return told.build();
  }

  /** In this order: a manager gets its epoch first, then fences OSDs, then serves. */
  private void prove(long sinceNanos) {
    var unused =
        volume
            .requireNotFenced()
            .thenComposeAsync(nothing -> lookAtLast(), home)
            .whenCompleteAsync(
                (sentNanos, failure) -> {
                  if (failure == null) {
                    looked(sentNanos, Optional.empty());
                    proven = true;
                    return;
                  }
                  WeftException why = WeftException.of(failure);
                  boolean again =
                      why.code() == ErrorCode.UNAVAILABLE
                          && environment.ticker().nowNanos() - sinceNanos < ABSENCE_PATIENCE_NANOS;
                  if (again && !closed) {
                    environment.scheduler().schedule(RETRY_NANOS, home, () -> prove(sinceNanos));
                  } else {
                    isVoid(why);
                  }
                },
                home);
  }

  /** Answers with when it was asked. */
  private CompletableFuture<Long> lookAtLast() {
    long sentNanos = environment.ticker().nowNanos();
    return look(epoch).thenApply(given -> sentNanos);
  }

  /** What runs on the home executor. */
  @FunctionalInterface
  private interface Call<T> {
    CompletableFuture<T> run() throws IOException;
  }

  private <T> CompletableFuture<T> onHome(Call<T> call) {
    CompletableFuture<T> done = new CompletableFuture<>();
    home.execute(
        () -> {
          try {
            var unused =
                call.run()
                    .whenComplete(
                        (value, failure) -> {
                          if (failure == null) {
                            done.complete(value);
                          } else {
                            done.completeExceptionally(WeftException.of(failure));
                          }
                        });
          } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  /** A lease that runs out, SysMgr and OSDs that start are waited for a little. */
  private <T> CompletableFuture<T> retried(Call<T> call) {
    return retried(call, environment.ticker().nowNanos());
  }

  private <T> CompletableFuture<T> retried(Call<T> call, long startNanos) {
    return onHome(call)
        .exceptionallyCompose(
            thrown -> {
              WeftException why = WeftException.of(thrown);
              long waitedNanos = environment.ticker().nowNanos() - startNanos;
              long patienceNanos =
                  why.code() == ErrorCode.UNAVAILABLE
                      ? ABSENCE_PATIENCE_NANOS
                      : why.code() == ErrorCode.BUSY ? LEASE_PATIENCE_NANOS : 0;
              if (waitedNanos >= patienceNanos || closed) {
                return CompletableFuture.failedFuture(why);
              }
              CompletableFuture<T> next = new CompletableFuture<>();
              environment
                  .scheduler()
                  .schedule(RETRY_NANOS, home, () -> pass(retried(call, startNanos), next));
              return next;
            });
  }

  private static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
    var unused =
        from.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(WeftException.of(failure));
              }
            });
  }

  /** Looks at nothing any more; {@link #release} is next. */
  public CompletableFuture<Void> close() {
    return onHome(
        () -> {
          closed = true;
          timer.cancel();
          if (volume != null) {
            volume.close();
          }
          if (view != null) {
            view.close();
          }
          if (connections != null) {
            connections.close();
          }
          link.close();
          return CompletableFuture.completedFuture(null);
        });
  }

  /**
   * Gives the directory back as it was. Waits for its threads, and is not called on one of them.
   */
  public void release() throws IOException {
    resolvers.close();
    home.close();
    directory.close();
  }
}
