package org.weft.it.nfs;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.weft.client.WeftClient;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;

/** One run: a cluster, programs on mounts of its gateways, and faults under them. */
final class NfsKillsRun {
  static final String EXPORT = "/tmp";

  private static final long START_SECONDS = 120;
  private static final long PROGRESS_SECONDS = 300;
  private static final int LOOKED_AT_EVERY = 5;
  private static final int MIN_APART_MILLIS = 500;
  private static final int MAX_APART_MILLIS = 4_000;

  private final NfsKillsOptions options;
  private final Findings findings;
  private final Random random;

  private NfsKillsRun(NfsKillsOptions options, PrintStream events) {
    this.options = options;
    this.findings = new Findings(what -> events.println(Instant.now() + " " + what));
    this.random = new Random(options.seed());
  }

  /** Runs it; every process has ended when it returns. */
  static NfsKillsReport run(NfsKillsOptions options) throws Exception {
    Path log = Files.createDirectories(options.directory()).resolve("events");
    try (PrintStream events =
        new PrintStream(Files.newOutputStream(log), true, StandardCharsets.UTF_8)) {
      System.err.println("nfs-kills: what happens is in " + log);
      NfsKillsRun run = new NfsKillsRun(options, events);
      try {
        run.all();
      } catch (Exception | AssertionError e) {
        // What was counted and found until then is told, too.
        e.printStackTrace(events);
        run.findings.wrong("the run could not go on: " + e);
      }
      return new NfsKillsReport(
          options.seed(), options.seconds(), run.findings.counts(), run.findings.all());
    }
  }

  private void all() throws Exception {
    Path scratch = options.directory();
    try (DaemonCluster cluster =
            DaemonCluster.start(
                scratch,
                options.osds(),
                options.managers(),
                options.members(),
                options.gateways());
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("nfs-kills");
        WeftClient client = DaemonCluster.connect(cluster.port(), "kills", system, callbacks)) {
      export(cluster);
      try (GatewayPrograms programs =
          options.guest().isPresent()
              ? new GuestPrograms(options, cluster, findings)
              : new MountedPrograms(options, cluster, client, findings)) {
        NfsFaults faults =
            new NfsFaults(
                cluster,
                new ClusterWatch(ClientParts.of(client).cluster()),
                options.faults(),
                findings,
                random);
        strike(programs, faults);
        faults.awaitAllUp();
        programs.finish(PROGRESS_SECONDS);
      }
      cluster.stop();
      cluster.unsoundStores().forEach(findings::wrong);
    }
  }

  private static void export(DaemonCluster cluster) throws Exception {
    String[] add = {
      "nfs", "export", "add", EXPORT, "--clients", "127.0.0.0/8", "--insecure", "--squash", "none"
    };
    Await.until(
        START_SECONDS,
        () -> EXPORT + " cannot be exported",
        () -> cluster.cli().tryRun(add).exitCode() == 0);
  }

  private void strike(GatewayPrograms programs, NfsFaults faults) throws Exception {
    programs.awaitProgress(PROGRESS_SECONDS);
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.seconds());
    // Each kind comes once at least, however long that takes.
    int least = options.faults().size();
    for (int done = 1;
        (done <= least || System.nanoTime() < endNanos) && findings.isSound();
        done++) {
      faults.next();
      NfsFaults.last(MIN_APART_MILLIS + random.nextInt(MAX_APART_MILLIS));
      if (done % LOOKED_AT_EVERY == 0) {
        programs.awaitProgress(PROGRESS_SECONDS);
      }
    }
  }
}
