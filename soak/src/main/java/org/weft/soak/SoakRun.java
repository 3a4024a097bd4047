package org.weft.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.CutCluster;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.RunningCluster;
import org.weft.soak.process.SwitchedNetwork;
import org.weft.testkit.process.Await;

/** One soak, from the start of the cluster to the check of its stores. */
public final class SoakRun {
  private static final WeftPath DIRECTORY = WeftPath.of("/tmp/soak");
  private static final int MAX_OPERATIONS_BETWEEN = 40;
  private static final int MIN_OPERATIONS_BETWEEN = 6;
  private static final long MAX_PAUSE_MILLIS = 400;
  private static final long PROGRESS_SECONDS = 180;
  private static final long HEALTH_SECONDS = 180;
  private static final long REDUNDANCY_SECONDS = 600;
  private static final long VERIFY_EACH_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final SoakOptions options;
  private final SoakTally tally;
  private final Random random;

  private SoakRun(SoakOptions options) {
    this.options = options;
    this.random = new Random(options.seed());
    this.tally = new SoakTally(options.directory().resolve("events"));
  }

  /** Runs it; what went wrong stands in the report. */
  public static SoakReport run(SoakOptions options) throws Exception {
    return new SoakRun(options).run();
  }

  private SoakReport run() throws Exception {
    Files.createDirectories(options.logs());
    long beginNanos = System.nanoTime();
    int taken = 0;
    try (RunningCluster cluster = start();
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      try (WeftClient watching =
              DaemonCluster.connect(cluster.sysmgrs(), "soak", system, callbacks);
          ClientFleet clients = fleet(cluster)) {
        var unused = watching.files().mkdirs(DIRECTORY, 0777);
        FileVerifier verifier = new FileVerifier(clients, tally);
        storm(
            cluster,
            new ClusterWatch(ClientParts.of(watching).cluster()),
            clients,
            verifier,
            system,
            callbacks);
        taken = verifier.taken();
      } catch (AssertionError | IOException e) {
        tally.violation(String.valueOf(e.getMessage()));
      }
      if (tally.isSound()) {
        cluster.stop();
        cluster.unsoundStores().forEach(tally::violation);
      }
    }
    LeaseCheck.violations(tally.acknowledgements(), tally.silences()).forEach(tally::violation);
    return SoakReport.of(options, tally, taken, System.nanoTime() - beginNanos);
  }

  private RunningCluster start() throws Exception {
    return options.cuts()
        ? CutCluster.start(
            SwitchedNetwork.create(),
            options.directory(),
            options.osds(),
            options.managers(),
            options.members())
        : DaemonCluster.start(
            options.directory(), options.osds(), options.managers(), options.members());
  }

  private ClientFleet fleet(RunningCluster cluster) throws Exception {
    IntFunction<List<String>> by = client -> List.of();
    if (cluster instanceof CutCluster cut) {
      for (int client = 0; client < options.clients(); client++) {
        var unused = cut.network().add(Cuts.client(client));
      }
      by = client -> SwitchedNetwork.on(Cuts.client(client));
    }
    return new ClientFleet(options, cluster.sysmgrs(), by, DIRECTORY.toString(), tally);
  }

  private void storm(
      RunningCluster cluster,
      ClusterWatch watch,
      ClientFleet clients,
      FileVerifier verifier,
      SystemEnvironment system,
      OwnedExecutor callbacks)
      throws Exception {
    clients.start();
    Optional<Cuts> cuts =
        cluster instanceof CutCluster cut
            ? Optional.of(new Cuts(cut, watch, clients.size(), tally, random))
            : Optional.empty();
    ProcessFaults faults =
        new ProcessFaults(cluster, cuts, watch, clients, tally, options.kinds(), random);
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.seconds());
    long verifyNanos = System.nanoTime() + VERIFY_EACH_NANOS;
    while (tally.isSound() && !isOver(faults, endNanos)) {
      progress(clients);
      faults.next();
      watch.awaitAllUp(HEALTH_SECONDS, options.osds());
      tally.event("every OSD is up");
      clients.update();
      if (options.seconds() > 0 && System.nanoTime() - verifyNanos > 0 && tally.isSound()) {
        verify(cluster, verifier, system, callbacks);
        verifyNanos = System.nanoTime() + VERIFY_EACH_NANOS;
      }
    }
    if (tally.isSound()) {
      progress(clients);
      tally.event("the clients are to stop");
      clients.stop();
    }
    if (tally.isSound()) {
      verify(cluster, verifier, system, callbacks);
    }
    if (tally.isSound()) {
      awaitRedundancy(cluster);
      verifyWithoutOneOsd(cluster, verifier, system, callbacks);
    }
  }

  /** Every OSD is up, and no client writes: every file comes to full redundancy (P 6.8). */
  private void awaitRedundancy(RunningCluster cluster) throws Exception {
    long beginNanos = System.nanoTime();
    cluster.status().awaitWhole(REDUNDANCY_SECONDS);
    tally.whole(System.nanoTime() - beginNanos);
    tally.event("no file lacks a component");
  }

  private void verifyWithoutOneOsd(
      RunningCluster cluster,
      FileVerifier verifier,
      SystemEnvironment system,
      OwnedExecutor callbacks)
      throws Exception {
    DaemonProcess away = cluster.osd(1 + random.nextInt(options.osds()));
    away.stop();
    try (WeftClient fresh =
        DaemonCluster.connect(cluster.sysmgrs(), "verifier", system, callbacks)) {
      tally.event("verification without " + away.name());
      long files = tally.filesVerified();
      long bytes = tally.bytesVerified();
      verifier.verifyWithoutOneOsd(fresh.files());
      tally.degraded(tally.filesVerified() - files, tally.bytesVerified() - bytes);
      tally.event("verified " + tally.bytesVerified() + " bytes");
    }
  }

  private boolean isOver(ProcessFaults faults, long endNanos) {
    return options.seconds() == 0 ? faults.decksDone() == 1 : System.nanoTime() - endNanos > 0;
  }

  /** Until some operations were acknowledged, and a moment longer. */
  private void progress(ClientFleet clients) throws Exception {
    int target =
        tally.count()
            + MIN_OPERATIONS_BETWEEN
            + random.nextInt(MAX_OPERATIONS_BETWEEN - MIN_OPERATIONS_BETWEEN);
    Await.until(
        PROGRESS_SECONDS,
        () -> "nothing is acknowledged any more, though every process runs",
        () -> {
          clients.update();
          return tally.count() >= target || !tally.isSound();
        });
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt((int) MAX_PAUSE_MILLIS)));
  }

  private void verify(
      RunningCluster cluster,
      FileVerifier verifier,
      SystemEnvironment system,
      OwnedExecutor callbacks)
      throws Exception {
    try (WeftClient fresh =
        DaemonCluster.connect(cluster.sysmgrs(), "verifier", system, callbacks)) {
      tally.event("verification");
      verifier.verify(fresh.files());
      tally.event("verified " + tally.bytesVerified() + " bytes");
    }
  }
}
