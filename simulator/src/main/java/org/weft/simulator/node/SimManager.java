package org.weft.simulator.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.ManagerOptions;
import org.weft.metadata.ManagerTuning;
import org.weft.metadata.OfflineCheck;
import org.weft.metadata.OfflineCheckCourse;
import org.weft.metadata.backup.WarmOptions;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.scrub.ScrubOptions;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.Violation;
import org.weft.simulator.base.WorldOptions;
import org.weft.testkit.sim.SimProcess;
import org.weft.testkit.state.StateComparison;

/** A manager: the production daemon on the disk of a simulated machine. */
public final class SimManager extends ProcessNode implements SimulatedManager {
  private static final int MIN_OSDS = 3;
  private static final int FILES_REPAIRED_AT_ONCE = 2;
  private static final int MAX_LISTED = 3;
  private static final int MAX_LEFT = 4;
  private static final int JOURNAL_BYTES = 64 << 10;
  private static final int JOURNAL_RECORDS = 1_024;
  private static final ManagerTuning TUNING =
      new ManagerTuning(
          new JournalOptions(
              JOURNAL_BYTES, JOURNAL_BYTES, 2 * JournalLog.MAX_RECORD_BYTES, JOURNAL_RECORDS),
          StripeOptions.defaults().withMemory(1 << 20, 64 << 10, 4 << 20),
          CacheLimits.DEFAULT,
          false);
  private static final CacheLimits FORGETFUL =
      new CacheLimits(30, 4_096, 12, 20_000, 1_024, 8_192, 64L << 20);

  /** Pass after pass. */
  private static final ScrubOptions SCRUB = new ScrubOptions(64 << 20, 0);

  private final ClusterPlace cluster;
  private final Endpoint address;
  private ManagerDaemon daemon;
  private boolean replaced;

  /** What the next process does in place of a manager. */
  private Optional<Consumer<SimProcess>> instead = Optional.empty();

  public SimManager(SimContext setting, int number, ClusterPlace cluster) {
    super(setting, "manager-" + number);
    this.cluster = cluster;
    this.address = ClusterPlace.at(name(), ClusterPlace.MANAGER_PORT + number);
  }

  /** One on another machine, with the same disk. */
  private SimManager(SimManager old, int number) {
    super(old.setting(), "manager-" + number, old.disk());
    this.cluster = old.cluster;
    this.address = ClusterPlace.at(name(), ClusterPlace.MANAGER_PORT + number);
  }

  /**
   * This machine hangs and its disk is given to another one, which is not started yet. This process
   * can read and write it no more.
   */
  public SimManager replacement(int number) {
    pause();
    replaced = true;
    SimManager next = new SimManager(this, number);
    disk().givenAway();
    return next;
  }

  /** In every second world with so little room that searches begin anew. */
  private static RepairOptions repair(WorldOptions world) {
    if (world.repairAfterMillis() == 0) {
      return RepairOptions.OFF;
    }
    // Where there are several managers, most of what one has lost is copied by the others.
    boolean isHelped = world.managers() > 1 && Math.floorMod(world.seed(), 4L) != 0;
    int atOnce = isHelped ? 1 : FILES_REPAIRED_AT_ONCE;
    RepairOptions options =
        new RepairOptions(world.repairAfterMillis(), atOnce).withShare(world.repairSharePercent());
    return Math.floorMod(world.seed(), 4L) > 1 ? options.withBounds(MAX_LISTED, MAX_LEFT) : options;
  }

  @Override
  public CompletableFuture<OfflineCheckCourse> startCheck(String path, boolean parity) {
    CompletableFuture<OfflineCheckCourse> begun = new CompletableFuture<>();
    instead = Optional.of(started -> check(started, path, parity, begun));
    start();
    return begun;
  }

  private void check(
      SimProcess started,
      String path,
      boolean parity,
      CompletableFuture<OfflineCheckCourse> begun) {
    note("is looked at by a check of " + path);
    try {
      OfflineCheckCourse course =
          OfflineCheckCourse.of(
              new OfflineCheck.Wanted(
                  Path.of(name()),
                  cluster.sysmgrs(),
                  cluster.joinToken().get(),
                  path,
                  parity,
                  CacheLimits.DEFAULT),
              new LookedAtDisk(disk().dataFolders()),
              started.environment());
      var unused =
          course
              .begin()
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure == null) {
                      begun.complete(course);
                    } else {
                      begun.completeExceptionally(WeftException.of(failure));
                    }
                  });
    } catch (IOException e) {
      begun.completeExceptionally(WeftException.of(e));
    }
  }

  @Override
  public SortedMap<String, ByteBuffer> diskContent() throws IOException {
    return disk().content();
  }

  @Override
  void run(SimProcess started) {
    Optional<Consumer<SimProcess>> other = instead;
    instead = Optional.empty();
    if (other.isPresent()) {
      other.get().accept(started);
      return;
    }
    ManagerOptions options =
        new ManagerOptions(
            Path.of(name()),
            address,
            address,
            cluster.sysmgrs(),
            cluster.joinToken().get(),
            name(),
            Math.min(MIN_OSDS, setting().options().osds()),
            (setting().options().forgetful() ? TUNING.withCache(FORGETFUL) : TUNING)
                .withWarm(WarmOptions.DEFAULT.comparing(SimManager::requireEqual))
                .withBackups(setting().options().pairs() && !setting().options().lone())
                .withRepair(repair(setting().options()))
                .withScrub(setting().options().scrubbed() ? SCRUB : ScrubOptions.OFF));
    ManagerDaemon prepared;
    try {
      prepared = ManagerDaemon.prepare(options, disk().dataFolders(), started.environment());
    } catch (IOException e) {
      if (started.isAlive() && disk().isSound()) {
        throw new Violation(name() + " cannot use its data directory: " + e, e);
      }
      ends(started, e.toString());
      return;
    }
    if (!started.isAlive()) {
      return;
    }
    daemon = prepared;
    var unused =
        prepared
            .begin()
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    ends(started, WeftException.of(failure).toString());
                  }
                });
    String why = "another one has taken its place, or a journal has failed";
    var unusedEnd = prepared.ended().thenRun(() -> ends(started, why));
  }

  private static void requireEqual(VolumeMachine warm, VolumeMachine cold) {
    StateComparison.difference(warm, cold)
        .ifPresent(
            difference -> {
              throw new IllegalStateException(difference);
            });
  }

  /** It is started again, unless another machine has its disk: two processes would write to it. */
  private void ends(SimProcess started, String why) {
    if (replaced) {
      exit(started, why);
    } else {
      exitAndRestart(started, why);
    }
  }

  /** The disk of a machine that was replaced is another one's. */
  @Override
  void diskAfterDeath() {
    if (!replaced) {
      super.diskAfterDeath();
    }
  }

  @Override
  void gone() {
    daemon = null;
  }

  @Override
  void stop(SimProcess asked) {
    if (daemon != null) {
      note("is asked to stop");
      ManagerDaemon leaving = daemon;
      var unused =
          leaving
              .drain()
              .thenCompose(nothing -> leaving.leave())
              .whenComplete((nothing, failure) -> exit(asked, "stopped"));
    }
  }

  @Override
  public boolean isServing() {
    return daemon != null && daemon.isServing();
  }

  /** It will not serve again unless it is started again. */
  @Override
  public boolean isBroken() {
    return health().stream().anyMatch(volume -> volume.getState().startsWith("not served"));
  }

  @Override
  public List<VolumeHealth> health() {
    return daemon == null ? List.of() : daemon.health();
  }

  @Override
  public List<String> problems() {
    return daemon == null ? List.of() : daemon.problems();
  }
}
