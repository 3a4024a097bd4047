package org.weft.it.nfs;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/**
 * Kills, freezes and restarts processes of a cluster, one fault after another; after each all run.
 * The kinds come in decks: all of them in an order that the seed chooses, then all again. Confined
 * to one thread.
 */
final class NfsFaults {
  private static final long STATE_SECONDS = 240;

  /** A session lasts for 10 s and a manager's lease for 2 s. */
  private static final int BEYOND_SESSION_MILLIS = 11_000;

  private static final int BEYOND_LEASE_MILLIS = 2_500;
  private static final int MAX_MORE_MILLIS = 3_000;

  private final DaemonCluster cluster;
  private final ClusterWatch watch;
  private final List<NfsFault> kinds;
  private final Findings findings;
  private final Random random;
  private final Deque<NfsFault> deck = new ArrayDeque<>();

  /** The process of each daemon as this left it, by the daemon's name. */
  private final Map<String, Long> left = new HashMap<>();

  NfsFaults(
      DaemonCluster cluster,
      ClusterWatch watch,
      List<NfsFault> kinds,
      Findings findings,
      Random random)
      throws IOException {
    this.cluster = cluster;
    this.watch = watch;
    this.kinds = List.copyOf(kinds);
    this.findings = findings;
    this.random = random;
    look();
  }

  /** Carries out the next fault; afterwards every process runs. */
  void next() throws Exception {
    if (deck.isEmpty()) {
      List<NfsFault> all = new ArrayList<>(kinds);
      Collections.shuffle(all, random);
      deck.addAll(all);
    }
    look();
    if (!findings.isSound()) {
      return;
    }
    NfsFault fault = deck.remove();
    findings.event(fault.what());
    switch (fault) {
      case KILL_GATEWAY -> kill(List.of(anyGateway()), random.nextInt(MAX_MORE_MILLIS));
      case KILL_GATEWAY_AT_ONCE -> kill(List.of(anyGateway()), 0);
      case FREEZE_GATEWAY ->
          freeze(
              anyGateway(), random.nextInt(3) == 0 ? BEYOND_SESSION_MILLIS : BEYOND_LEASE_MILLIS);
      case RESTART_GATEWAY -> {
        DaemonProcess gateway = anyGateway();
        findings.event(gateway.name() + " stops");
        gateway.stop();
        start(gateway);
      }
      case KILL_GATEWAYS -> kill(gateways(), random.nextInt(MAX_MORE_MILLIS));
      case KILL_GATEWAY_AS_IT_STARTS -> {
        DaemonProcess gateway = anyGateway();
        kill(List.of(gateway), 0);
        last(random.nextInt(2 * MAX_MORE_MILLIS));
        kill(List.of(gateway), 0);
      }
      case KILL_MANAGER -> kill(List.of(anyManager()), random.nextInt(MAX_MORE_MILLIS));
      case FREEZE_MANAGER -> freeze(anyManager(), BEYOND_LEASE_MILLIS);
      case KILL_MANAGER_AND_GATEWAY ->
          kill(List.of(anyManager(), anyGateway()), random.nextInt(MAX_MORE_MILLIS));
      case KILL_OSD -> {
        watch.awaitAllUp(STATE_SECONDS, cluster.osds());
        kill(List.of(anyOsd()), random.nextInt(MAX_MORE_MILLIS));
      }
      case FREEZE_OSD -> {
        watch.awaitAllUp(STATE_SECONDS, cluster.osds());
        freeze(anyOsd(), 0);
      }
    }
    look();
    findings.event("all run");
    findings.count("fault: " + fault.what());
  }

  /** Every process runs, and SysMgr trusts every OSD. */
  void awaitAllUp() throws Exception {
    watch.awaitAllUp(STATE_SECONDS, cluster.osds());
    look();
  }

  /** A process that has ended, or is another one, though nothing was done to it, is wrong. */
  private void look() throws IOException {
    for (DaemonProcess daemon : all()) {
      Optional<ProcessHandle> process = daemon.process();
      Long before = left.get(daemon.name());
      if (process.isEmpty()) {
        findings.wrong(daemon.name() + " has ended by itself");
      } else if (before != null && before != process.get().pid()) {
        findings.wrong(daemon.name() + " has ended by itself, and runs again");
      }
      process.ifPresent(found -> left.put(daemon.name(), found.pid()));
    }
  }

  private List<DaemonProcess> all() {
    List<DaemonProcess> all = new ArrayList<>(gateways());
    for (int number = 1; number <= cluster.managers(); number++) {
      all.add(cluster.manager(number));
    }
    for (int number = 1; number <= cluster.osds(); number++) {
      all.add(cluster.osd(number));
    }
    for (int member = 1; member <= cluster.members(); member++) {
      all.add(cluster.sysmgr(member));
    }
    return all;
  }

  private List<DaemonProcess> gateways() {
    List<DaemonProcess> all = new ArrayList<>();
    for (int number = 1; number <= cluster.gateways(); number++) {
      all.add(cluster.gateway(number));
    }
    return all;
  }

  private DaemonProcess anyGateway() {
    return cluster.gateway(1 + random.nextInt(cluster.gateways()));
  }

  private DaemonProcess anyManager() {
    return cluster.manager(1 + random.nextInt(cluster.managers()));
  }

  private DaemonProcess anyOsd() {
    return cluster.osd(1 + random.nextInt(cluster.osds()));
  }

  private void kill(List<DaemonProcess> daemons, long awayMillis) throws Exception {
    for (DaemonProcess daemon : daemons) {
      Await.until(
          STATE_SECONDS, () -> daemon.name() + " does not run", () -> daemon.process().isPresent());
    }
    DaemonCluster.kill(daemons);
    findings.event(daemons.stream().map(DaemonProcess::name).toList() + " killed");
    last(awayMillis);
    for (DaemonProcess daemon : daemons) {
      start(daemon);
    }
  }

  private void start(DaemonProcess daemon) throws IOException {
    left.put(daemon.name(), daemon.start().pid());
  }

  private void freeze(DaemonProcess daemon, int leastMillis) throws Exception {
    ProcessHandle process = daemon.process().orElseThrow();
    Signals.freeze(process);
    findings.event(daemon.name() + " frozen");
    try {
      last(leastMillis + random.nextInt(MAX_MORE_MILLIS));
    } finally {
      Signals.thaw(process);
    }
  }

  /** How long something lasts. */
  static void last(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }
}
