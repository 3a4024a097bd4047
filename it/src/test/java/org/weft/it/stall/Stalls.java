package org.weft.it.stall;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.PolledWait;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/** The command {@code it/stalls}. */
public final class Stalls {
  private static final int OSDS = 4;
  private static final int MANAGERS = 2;
  private static final int MEMBERS = 3;
  private static final int SECONDS = 120;
  private static final long WARM_OPERATIONS = 2_000;
  private static final long SOME_OPERATIONS = 200;
  private static final Duration SETTLE = Duration.ofSeconds(3);

  private static final String HELP =
      """
      it/stalls [ROUNDS] [DIRECTORY]

      Starts 3 members of SysMgr, 2 managers and 4 OSDs, each in a process of its own. One client
      makes one directory after another, another one reads a file that it has open. ROUNDS (20)
      times each: moves the root volume to the other manager, kills its primary with SIGKILL,
      freezes its primary with SIGSTOP, kills SysMgr's leader, restarts an OSD, restarts an OSD
      while SysMgr has no leader. Prints how long the longest operation of each client took then,
      and how long an OSD took to be up again, in milliseconds.

        it/stalls 20
      """;

  private final DaemonCluster cluster;
  private final ClusterWatch watch;
  private final Loads loads;
  private final Shares shares;
  private final Figures figures = new Figures();
  private final List<String> rows = new ArrayList<>();

  private Stalls(DaemonCluster cluster, ClusterWatch watch, Loads loads, Shares shares) {
    this.cluster = cluster;
    this.watch = watch;
    this.loads = loads;
    this.shares = shares;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].startsWith("-")) {
      System.out.print(HELP);
      return;
    }
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
    Path scratch =
        arguments.length > 1
            ? Files.createDirectories(Path.of(arguments[1]))
            : Files.createTempDirectory("weft-stalls");
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, MANAGERS, MEMBERS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("load");
        WeftClient client = DaemonCluster.connect(cluster.port(), "load", system, callbacks);
        Loads loads = new Loads(client, WeftPath.of("/tmp/stalls"))) {
      new Stalls(
              cluster,
              new ClusterWatch(ClientParts.of(client).cluster()),
              loads,
              new Shares(cluster.dataOf(cluster.manager()).resolveSibling("logs")))
          .all(rounds);
    }
  }

  private void all(int rounds) throws Exception {
    progress(WARM_OPERATIONS);
    for (int round = 1; round <= rounds; round++) {
      move();
      killPrimary();
      freezePrimary();
      killLeader();
      figures.add("an OSD restarts: until it is up", restartOsd());
      restartOsdWithoutLeader();
      System.err.printf("round %d of %d%n", round, rounds);
    }
    System.out.println(figures.text());
    System.out.println("of each kill of a primary, ms after it:");
    rows.forEach(System.out::println);
  }

  private void progress(long operations) throws Exception {
    long made = loads.names().made() + operations;
    Await.until(SECONDS, () -> "the load stands still", () -> loads.names().made() >= made);
    long read = loads.reads().made() + 1;
    Await.until(SECONDS, () -> "no read ends", () -> loads.reads().made() >= read);
  }

  /** Until all is as it was, and a moment longer. */
  private int settled() throws Exception {
    int primary = cluster.status().awaitPair(SECONDS);
    watch.awaitAllUp(SECONDS, OSDS);
    var unused = PolledWait.every(SETTLE).pause();
    progress(SOME_OPERATIONS);
    return primary;
  }

  /** Managers by their ids in the cluster's table. */
  private DaemonProcess manager(int id) throws Exception {
    for (int number = 1; number <= MANAGERS; number++) {
      if (watch.managerAt(cluster.managerPort(number)) == id) {
        return cluster.manager(number);
      }
    }
    throw new IllegalStateException("no process is manager " + id);
  }

  /** Notes the longest operation of either client that ended since. */
  private Load.Stall note(String event, long sinceNanos) {
    Load.Stall names = loads.names().longestSince(sinceNanos);
    figures.add(event + ": names", names.millis());
    figures.add(event + ": reads", loads.reads().longestSince(sinceNanos).millis());
    return names;
  }

  private void move() throws Exception {
    int primary = settled();
    long beganNanos = System.nanoTime();
    var unused = cluster.cli().run("volume", "move", "/", Integer.toString(MANAGERS + 1 - primary));
    progress(SOME_OPERATIONS);
    note("the volume moves", beganNanos);
  }

  private void killPrimary() throws Exception {
    DaemonProcess primary = manager(settled());
    long beganNanos = System.nanoTime();
    long wallMillis = System.currentTimeMillis();
    DaemonCluster.kill(primary);
    progress(SOME_OPERATIONS);
    Load.Stall stall = note("its primary is killed", beganNanos);
    OptionalLong given = shares.after(wallMillis, "sysmgr", "the lease is over");
    OptionalLong served = shares.after(wallMillis, "manager", "is served, epoch");
    rows.add(
        "  given to the backup %s, served %s, the client goes on %d"
            .formatted(text(given), text(served), stall.endedMillis() - wallMillis));
    primary.start();
  }

  /** It goes on when the backup serves: what it then says counts for nothing. */
  private void freezePrimary() throws Exception {
    ProcessHandle primary = manager(settled()).process().orElseThrow();
    long beganNanos = System.nanoTime();
    Signals.freeze(primary);
    try {
      progress(SOME_OPERATIONS);
      note("its primary is frozen", beganNanos);
    } finally {
      Signals.thaw(primary);
    }
  }

  private static String text(OptionalLong millis) {
    return millis.isPresent() ? Long.toString(millis.getAsLong()) : "?";
  }

  private void killLeader() throws Exception {
    settled();
    DaemonProcess leader = leader();
    long beganNanos = System.nanoTime();
    DaemonCluster.kill(leader);
    var unused = PolledWait.every(SETTLE.multipliedBy(2)).pause();
    progress(SOME_OPERATIONS);
    note("SysMgr's leader is killed", beganNanos);
    leader.start();
  }

  /** Milliseconds until it is up for all, with the start of its JVM. */
  private long restartOsd() throws Exception {
    settled();
    return restart(cluster.osd(OSDS), watch.incarnation(OSDS));
  }

  private void restartOsdWithoutLeader() throws Exception {
    settled();
    long former = watch.incarnation(OSDS);
    DaemonProcess leader = leader();
    DaemonCluster.kill(leader);
    figures.add(
        "an OSD restarts while SysMgr has no leader: until it is up",
        restart(cluster.osd(OSDS), former));
    leader.start();
  }

  private long restart(DaemonProcess osd, long former) throws Exception {
    DaemonCluster.kill(osd);
    long beganNanos = System.nanoTime();
    osd.start();
    watch.awaitReturn(SECONDS, OSDS, former);
    watch.awaitAllUp(SECONDS, OSDS);
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
  }

  /** The member that said last that it leads. */
  private DaemonProcess leader() throws Exception {
    long newest = Long.MIN_VALUE;
    DaemonProcess found = cluster.sysmgr(1);
    for (int number = 1; number <= MEMBERS; number++) {
      DaemonProcess member = cluster.sysmgr(number);
      long since = shares.last(member.name(), "this SysMgr member leads cluster").orElse(newest);
      if (since > newest) {
        newest = since;
        found = member;
      }
    }
    return found;
  }
}
