package org.weft.it.soak;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.it.process.Await;
import org.weft.it.process.ClusterWatch;
import org.weft.it.process.DaemonCluster;
import org.weft.protocol.wire.NodeState;
import org.weft.testkit.process.Signals;

/**
 * Does something to a process, keeps it so for a while, and undoes it. The kinds come in decks: all
 * of them in an order that the seed chooses, then all again. At most one OSD is away at a time, as
 * many as a file of the default layout bears.
 */
final class Faults {
  private static final long STATE_SECONDS = 120;
  private static final long TAKE_SECONDS = 240;
  private static final int MOST_FREEZES = 50;
  private static final long LEAST_BEYOND_LEASE_MILLIS = 2_500;

  private final DaemonCluster cluster;
  private final ClusterWatch watch;
  private final ClientFleet clients;
  private final Tally tally;
  private final Random random;
  private final Deque<FaultKind> deck = new ArrayDeque<>();
  private final List<FaultKind> kinds;
  private int decks;

  Faults(
      DaemonCluster cluster,
      ClusterWatch watch,
      ClientFleet clients,
      Tally tally,
      List<FaultKind> kinds,
      Random random) {
    this.kinds = kinds;
    this.cluster = cluster;
    this.watch = watch;
    this.clients = clients;
    this.tally = tally;
    this.random = random;
  }

  /** How many times every kind has come. */
  int decksDone() {
    return deck.isEmpty() ? decks : decks - 1;
  }

  /** Carries out the next fault; afterwards every process runs. */
  void next() throws Exception {
    if (deck.isEmpty()) {
      List<FaultKind> all = new ArrayList<>(kinds);
      Collections.shuffle(all, random);
      deck.addAll(all);
      decks++;
    }
    FaultKind kind = deck.remove();
    switch (kind) {
      case KILL_OSD, KILL_OSD_LONG, FREEZE_OSD, FREEZE_OSD_LONG, RESTART_OSD -> osd(kind);
      case KILL_MANAGER, RESTART_MANAGER, FREEZE_MANAGER -> daemon(kind, cluster.manager());
      case KILL_SYSMGR, FREEZE_SYSMGR -> sysmgr(kind);
      case FREEZE_BOTH -> both();
      case KILL_CLIENT -> killClient();
      case FREEZE_CLIENT, FREEZE_CLIENT_LONG -> freezeClient(kind);
    }
  }

  private void osd(FaultKind kind) throws Exception {
    int number = 1 + random.nextInt(cluster.osds());
    DaemonProcess osd = cluster.osd(number);
    long former = watch.incarnation(number);
    long beginNanos = System.nanoTime();
    ProcessHandle process = osd.process().orElseThrow();
    switch (kind) {
      case FREEZE_OSD, FREEZE_OSD_LONG -> {
        Signals.freeze(process);
        away(kind, number);
        Signals.thaw(process);
      }
      case RESTART_OSD -> {
        osd.stop();
        osd.start();
        watch.awaitReturn(STATE_SECONDS, number, former);
      }
      default -> {
        DaemonCluster.kill(osd);
        away(kind, number);
        osd.start();
        watch.awaitReturn(STATE_SECONDS, number, former);
      }
    }
    tally.fault(kind, osd.name(), beginNanos);
  }

  private void away(FaultKind kind, int osd) throws Exception {
    if (kind == FaultKind.KILL_OSD_LONG || kind == FaultKind.FREEZE_OSD_LONG) {
      anotherBeside(kind);
      watch.awaitState(STATE_SECONDS, osd, NodeState.DOWN);
    } else if (kind == FaultKind.FREEZE_OSD) {
      last(random.nextInt(2_500));
    } else {
      last(random.nextInt(500));
    }
  }

  /** How long a fault lasts. */
  private static void last(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void anotherBeside(FaultKind kind) throws Exception {
    if (!kind.bearsAnother() || random.nextBoolean()) {
      return;
    }
    last(random.nextInt(1_500));
    if (random.nextInt(3) == 0) {
      sysmgr(FaultKind.KILL_SYSMGR);
    } else {
      daemon(FaultKind.KILL_MANAGER, cluster.manager());
    }
  }

  private void daemon(FaultKind kind, DaemonProcess daemon) throws Exception {
    long beginNanos = System.nanoTime();
    if (kind.isFreeze()) {
      ProcessHandle process = daemon.process().orElseThrow();
      Signals.freeze(process);
      last(LEAST_BEYOND_LEASE_MILLIS + random.nextInt(3_000));
      Signals.thaw(process);
    } else if (kind.isKill()) {
      DaemonCluster.kill(daemon);
      last(random.nextInt(2) * random.nextInt(3_000));
      daemon.start();
    } else {
      daemon.stop();
      daemon.start();
    }
    tally.fault(kind, daemon.name(), beginNanos);
  }

  private void sysmgr(FaultKind kind) throws Exception {
    DaemonProcess sysmgr = cluster.sysmgr();
    long beginNanos = System.nanoTime();
    ProcessHandle process = sysmgr.process().orElseThrow();
    if (kind.isFreeze()) {
      Signals.freeze(process);
    } else {
      DaemonCluster.kill(sysmgr);
    }
    long silentNanos = System.nanoTime();
    last(LEAST_BEYOND_LEASE_MILLIS + random.nextInt(3_000));
    tally.silence(silentNanos);
    if (kind.isFreeze()) {
      Signals.thaw(process);
    } else {
      sysmgr.start();
    }
    tally.fault(kind, sysmgr.name(), beginNanos);
  }

  private void both() throws Exception {
    ProcessHandle sysmgr = cluster.sysmgr().process().orElseThrow();
    ProcessHandle manager = cluster.manager().process().orElseThrow();
    long beginNanos = System.nanoTime();
    Signals.freeze(sysmgr);
    long silentNanos = System.nanoTime();
    Signals.freeze(manager);
    last(LEAST_BEYOND_LEASE_MILLIS);
    Signals.thaw(manager);
    last(1_000 + random.nextInt(1_000));
    tally.silence(silentNanos);
    Signals.thaw(sysmgr);
    tally.fault(FaultKind.FREEZE_BOTH, "sysmgr-1 manager-1", beginNanos);
  }

  private void killClient() throws Exception {
    int client = random.nextInt(clients.size());
    long beginNanos = System.nanoTime();
    clients.killAndReplace(client);
    List<String> held = clients.heldByFormer(client);
    for (int i = 0; i < 2 && i < held.size(); i++) {
      var unused = clients.orderTake(held.get(i), client, random);
    }
    tally.fault(FaultKind.KILL_CLIENT, LogName.client(client), beginNanos);
  }

  private void freezeClient(FaultKind kind) throws Exception {
    int client = random.nextInt(clients.size());
    long beginNanos = System.nanoTime();
    if (kind == FaultKind.FREEZE_CLIENT) {
      clients.freeze(client);
      last(random.nextInt(6_000));
    } else {
      String flooded = freezeInTheMidstOfAWrite(client);
      anotherBeside(kind);
      List<String> taken = new ArrayList<>(clients.heldBy(client));
      taken.remove(flooded);
      for (String path : taken.subList(0, Math.min(1, taken.size()))) {
        awaitTaken(path, clients.orderTake(path, client, random));
      }
      awaitTaken(flooded, clients.orderTake(flooded, client, random));
    }
    clients.thaw(client);
    tally.fault(kind, LogName.client(client), beginNanos);
  }

  /** The file that it has acknowledged some writes of, and is in the midst of another. */
  private String freezeInTheMidstOfAWrite(int client) throws Exception {
    ClientFleet.Log log = clients.orderFlood(client);
    String[] flooded = new String[1];
    for (int tries = 0; tries < MOST_FREEZES; tries++) {
      Await.until(
          STATE_SECONDS,
          () -> LogName.client(client) + " does not write what it was told to",
          () -> {
            clients.update();
            flooded[0] = log.ledger().underWay().orElse(null);
            return !tally.isSound() || flooded[0] != null;
          });
      clients.freeze(client);
      clients.update();
      if (log.ledger().underWay().equals(Optional.ofNullable(flooded[0]))) {
        return flooded[0];
      }
      clients.thaw(client);
    }
    throw new AssertionError(LogName.client(client) + " was never met in the midst of a write");
  }

  private void awaitTaken(String path, ClientFleet.Log taker) throws Exception {
    Await.until(
        TAKE_SECONDS,
        () -> path + " was not taken from a frozen client",
        () -> {
          clients.update();
          return !tally.isSound() || taker.ledger().took(path) != null;
        });
  }
}
