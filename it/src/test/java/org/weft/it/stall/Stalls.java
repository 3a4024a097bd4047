package org.weft.it.stall;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.it.process.Await;
import org.weft.it.process.ClusterWatch;
import org.weft.it.process.DaemonCluster;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/** The command {@code it/stalls}. */
public final class Stalls {
  private static final int OSDS = 4;
  private static final int MANAGERS = 2;
  private static final int MEMBERS = 3;
  private static final int SECONDS = 120;
  private static final long WARM_OPERATIONS = 2_000;
  private static final long SOME_OPERATIONS = 200;
  private static final long SETTLE_MILLIS = 3_000;

  private static final String HELP =
      """
      it/stalls [ROUNDS] [DIRECTORY]

      Starts 3 members of SysMgr, 2 managers and 4 OSDs, each in a process of its own, makes one
      directory after another, and ROUNDS (20) times each: moves the root volume to the other
      manager, kills its primary with SIGKILL, kills SysMgr's leader. Prints how long the client's
      longest operation took then, in milliseconds.

        it/stalls 20
      """;

  private final DaemonCluster cluster;
  private final ClusterWatch watch;
  private final Load load;
  private final Shares shares;
  private final List<String> rows = new ArrayList<>();

  private Stalls(DaemonCluster cluster, ClusterWatch watch, Load load, Shares shares) {
    this.cluster = cluster;
    this.watch = watch;
    this.load = load;
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
        WeftClient client = DaemonCluster.connect(cluster.port(), "load", system, callbacks)) {
      WeftPath directory = WeftPath.of("/tmp/stalls");
      client.files().mkdir(directory, 0755);
      try (Load load = new Load(client, directory)) {
        new Stalls(
                cluster,
                new ClusterWatch(client.cluster()),
                load,
                new Shares(cluster.dataOf(cluster.manager()).resolveSibling("logs")))
            .all(rounds);
      }
    }
  }

  private void all(int rounds) throws Exception {
    progress(WARM_OPERATIONS);
    List<Long> moves = new ArrayList<>();
    List<Long> kills = new ArrayList<>();
    List<Long> leaders = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      moves.add(move());
      kills.add(killPrimary());
      leaders.add(killLeader());
    }
    System.out.println(histogram("volume moves", moves));
    System.out.println(histogram("primary killed", kills));
    System.out.println(histogram("SysMgr's leader killed", leaders));
    System.out.println("of each kill of a primary, ms after it:");
    rows.forEach(System.out::println);
  }

  private void progress(long operations) throws Exception {
    long target = load.made() + operations;
    Await.until(SECONDS, () -> "the load stands still", () -> load.made() >= target);
  }

  /** Until all is as it was, and a moment longer. */
  private int settled() throws Exception {
    int primary = cluster.status().awaitPair(SECONDS);
    watch.awaitAllUp(SECONDS, OSDS);
    Thread.sleep(SETTLE_MILLIS);
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

  private long move() throws Exception {
    int primary = settled();
    long beganNanos = System.nanoTime();
    var unused = cluster.cli().run("volume", "move", "/", Integer.toString(MANAGERS + 1 - primary));
    progress(SOME_OPERATIONS);
    return load.longestSince(beganNanos).millis();
  }

  private long killPrimary() throws Exception {
    DaemonProcess primary = manager(settled());
    long beganNanos = System.nanoTime();
    long wallMillis = System.currentTimeMillis();
    DaemonCluster.kill(primary);
    progress(SOME_OPERATIONS);
    Load.Stall stall = load.longestSince(beganNanos);
    OptionalLong given = shares.after(wallMillis, "sysmgr", "the lease is over");
    OptionalLong served = shares.after(wallMillis, "manager", "is served, epoch");
    rows.add(
        "  given to the backup %s, served %s, the client goes on %d"
            .formatted(text(given), text(served), stall.endedMillis() - wallMillis));
    primary.start();
    return stall.millis();
  }

  private static String text(OptionalLong millis) {
    return millis.isPresent() ? Long.toString(millis.getAsLong()) : "?";
  }

  private long killLeader() throws Exception {
    settled();
    DaemonProcess leader = leader();
    long beganNanos = System.nanoTime();
    DaemonCluster.kill(leader);
    Thread.sleep(2 * SETTLE_MILLIS);
    progress(SOME_OPERATIONS);
    long millis = load.longestSince(beganNanos).millis();
    leader.start();
    return millis;
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

  private static String histogram(String what, List<Long> millis) {
    List<Long> sorted = millis.stream().sorted().toList();
    return what
        + ": "
        + sorted.size()
        + " rounds, median "
        + sorted.get(sorted.size() / 2)
        + " ms, most "
        + sorted.get(sorted.size() - 1)
        + " ms: "
        + sorted.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }
}
