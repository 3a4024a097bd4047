package org.weft.soak;

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
import org.weft.protocol.wire.NodeState;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.RunningCluster;
import org.weft.soak.process.StatusWatch;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/**
 * Does something to a process, keeps it so for a while, and undoes it. The kinds come in decks: all
 * of them in an order that the seed chooses, then all again. At most one OSD is away at a time, as
 * many as a file of the default layout bears.
 */
final class ProcessFaults {
  private static final long STATE_SECONDS = 120;
  private static final long TAKE_SECONDS = 240;
  private static final long PAIR_SECONDS = 240;
  private static final long REBUILD_SECONDS = 600;
  private static final long WHOLE_SECONDS = 240;
  private static final long LOOK_MILLIS = 200;

  /** How long a spare has at most before its disk is removed. */
  private static final long SPARE_MILLIS = 3_000;

  private static final int MAX_FREEZES = 50;
  private static final long MIN_BEYOND_LEASE_MILLIS = 2_500;

  private final RunningCluster cluster;
  private final Optional<Cuts> cuts;
  private final ClusterWatch watch;
  private final ClientFleet clients;
  private final SoakTally tally;
  private final Random random;
  private final Deque<SoakFault> deck = new ArrayDeque<>();
  private final List<SoakFault> kinds;
  private int decks;

  /**
   * @param cuts cuts its network, where that is possible
   */
  ProcessFaults(
      RunningCluster cluster,
      Optional<Cuts> cuts,
      ClusterWatch watch,
      ClientFleet clients,
      SoakTally tally,
      List<SoakFault> kinds,
      Random random) {
    this.kinds = kinds;
    this.cluster = cluster;
    this.cuts = cuts;
    this.watch = watch;
    this.clients = clients;
    this.tally = tally;
    this.random = random;
  }

  /** How many times every kind has come. */
  int decksDone() {
    return deck.isEmpty() ? decks : decks - 1;
  }

  /** Carries out the next fault; afterwards every process runs, and all reach each other. */
  void next() throws Exception {
    if (deck.isEmpty()) {
      List<SoakFault> all = new ArrayList<>(kinds);
      Collections.shuffle(all, random);
      deck.addAll(all);
      decks++;
    }
    SoakFault kind = deck.remove();
    switch (kind) {
      case KILL_OSD, KILL_OSD_LONG, FREEZE_OSD, FREEZE_OSD_LONG, RESTART_OSD -> osd(kind);
      case WIPE_OSD, WIPE_SPARE -> wipeOsd(kind);
      case DRAIN_OSD -> drainOsd();
      case KILL_MANAGER, RESTART_MANAGER, FREEZE_MANAGER -> daemon(kind, anyManager());
      case KILL_MANAGERS -> killManagers();
      case WIPE_MANAGER -> wipeManager();
      case MOVE_VOLUME -> moveVolume();
      case KILL_SYSMGR, FREEZE_SYSMGR -> sysmgr(kind);
      case WIPE_SYSMGR -> wipeSysmgr();
      case FREEZE_BOTH -> both();
      case KILL_CLIENT -> killClient();
      case FREEZE_CLIENT, FREEZE_CLIENT_LONG -> freezeClient(kind);
      case CUT_OSD -> cuts.orElseThrow().osd();
      case CUT_MANAGER -> cuts.orElseThrow().manager();
      case CUT_IN_TWO, CUT_ONE_WAY -> cuts.orElseThrow().atRandom(kind);
      case CUT_PAIRS -> cuts.orElseThrow().pairs();
    }
  }

  private void osd(SoakFault kind) throws Exception {
    int number = 1 + random.nextInt(cluster.osds());
    DaemonProcess osd = cluster.osd(number);
    int id = idOf(number);
    long former = watch.incarnation(id);
    long beginNanos = System.nanoTime();
    ProcessHandle process = osd.process().orElseThrow();
    switch (kind) {
      case FREEZE_OSD, FREEZE_OSD_LONG -> {
        Signals.freeze(process);
        away(kind, id);
        Signals.thaw(process);
      }
      case RESTART_OSD -> {
        osd.stop();
        osd.start();
        watch.awaitReturn(STATE_SECONDS, id, former);
      }
      default -> {
        DaemonCluster.kill(osd);
        away(kind, id);
        osd.start();
        watch.awaitReturn(STATE_SECONDS, id, former);
      }
    }
    tally.fault(kind, osd.name(), beginNanos);
  }

  /** An OSD whose disk was removed has another id when it joins again. */
  private int idOf(int number) throws Exception {
    int[] id = new int[1];
    Await.until(
        STATE_SECONDS,
        () -> "SysMgr does not say which OSD osd-" + number + " is",
        () -> (id[0] = watch.idAt(cluster.osdPort(number))) > 0);
    return id[0];
  }

  /**
   * A file bears the loss of one OSD. So no file may lack a component before. What the OSD held is
   * rebuilt before the next fault. That includes files whose writers die, also in the middle of a
   * truncation, or stay open. The OSD that joins in its place has nothing that another lacks: it
   * may be lost, too.
   */
  private void wipeOsd(SoakFault kind) throws Exception {
    if (random.nextBoolean()) {
      killClients();
    }
    if (!isWhole()) {
      tally.diskKept();
      return;
    }
    int number = 1 + random.nextInt(cluster.osds());
    DaemonProcess osd = cluster.osd(number);
    long beginNanos = System.nanoTime();
    replace(number);
    if (kind == SoakFault.WIPE_SPARE) {
      last(random.nextLong(SPARE_MILLIS));
      replace(number);
    }
    if (random.nextInt(3) == 0) {
      killClients();
    }
    cluster.status().awaitRebuilt(REBUILD_SECONDS);
    tally.fault(kind, osd.name(), beginNanos);
  }

  /** The OSD and its disk are gone for good, and another one joins in its place. */
  private void replace(int number) throws Exception {
    DaemonProcess osd = cluster.osd(number);
    int former = idOf(number);
    wipe(osd);
    removeAndStartAnother(number, former);
  }

  private void removeAndStartAnother(int number, int former) throws Exception {
    DaemonProcess osd = cluster.osd(number);
    watch.awaitState(STATE_SECONDS, former, NodeState.DOWN);
    cluster.cli().run("osd", "remove", "osd-" + former);
    osd.start();
    Await.until(
        STATE_SECONDS, () -> osd.name() + " joins with an empty disk", () -> idOf(number) > former);
  }

  /**
   * The data of the OSD moves to other OSDs while it serves and clients write. Then the OSD goes
   * with its disk, and no file lacks anything.
   */
  private void drainOsd() throws Exception {
    int number = 1 + random.nextInt(cluster.osds());
    DaemonProcess osd = cluster.osd(number);
    int former = idOf(number);
    long beginNanos = System.nanoTime();
    cluster.cli().run("osd", "drain", "osd-" + former);
    anotherBeside(SoakFault.DRAIN_OSD);
    Await.until(
        REBUILD_SECONDS,
        () -> "osd-" + former + " is not empty: " + cluster.cli().tryRun("status").output(),
        () -> {
          clients.update();
          return !tally.isSound() || cluster.status().isDrained(former);
        });
    osd.stop();
    FileTree.delete(cluster.dataOf(osd));
    removeAndStartAnother(number, former);
    tally.fault(SoakFault.DRAIN_OSD, osd.name(), beginNanos);
  }

  private void killClients() throws Exception {
    for (int client = 0; client < clients.size(); client++) {
      clients.killAndReplace(client);
    }
  }

  private boolean isWhole() throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WHOLE_SECONDS);
    while (!cluster.status().isWhole()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        return false;
      }
      clients.update();
      last(LOOK_MILLIS);
    }
    return true;
  }

  private void wipe(DaemonProcess daemon) throws Exception {
    DaemonCluster.kill(daemon);
    FileTree.delete(cluster.dataOf(daemon));
  }

  private DaemonProcess anyManager() {
    return cluster.manager(1 + random.nextInt(cluster.managers()));
  }

  private DaemonProcess anyMember() {
    return cluster.sysmgr(1 + random.nextInt(cluster.members()));
  }

  private void killManagers() throws Exception {
    long beginNanos = System.nanoTime();
    List<DaemonProcess> managers = new ArrayList<>();
    for (int number = 1; number <= cluster.managers(); number++) {
      managers.add(cluster.manager(number));
    }
    Collections.shuffle(managers, random);
    for (DaemonProcess manager : managers) {
      DaemonCluster.kill(manager);
    }
    Collections.shuffle(managers, random);
    for (DaemonProcess manager : managers) {
      last(random.nextInt(1_500));
      manager.start();
    }
    tally.fault(SoakFault.KILL_MANAGERS, "every manager", beginNanos);
  }

  private void wipeManager() throws Exception {
    cluster.status().awaitPair(PAIR_SECONDS);
    int number = 1 + random.nextInt(cluster.managers());
    DaemonProcess manager = cluster.manager(number);
    int former = watch.managerAt(cluster.managerPort(number));
    long beginNanos = System.nanoTime();
    wipe(manager);
    last((long) random.nextInt(2) * random.nextInt(3_000));
    manager.start();
    Await.until(
        STATE_SECONDS,
        () -> manager.name() + " joins with an empty disk",
        () -> watch.managerAt(cluster.managerPort(number)) > former);
    cluster.status().awaitPairWithout(PAIR_SECONDS, former);
    tally.fault(SoakFault.WIPE_MANAGER, manager.name(), beginNanos);
  }

  private void moveVolume() throws Exception {
    StatusWatch status = cluster.status();
    status.awaitPair(PAIR_SECONDS);
    int backup = status.backup();
    long beginNanos = System.nanoTime();
    cluster.cli().run("volume", "move", "/", "manager-" + backup);
    tally.fault(SoakFault.MOVE_VOLUME, "/", beginNanos);
  }

  private void away(SoakFault kind, int osd) throws Exception {
    if (kind == SoakFault.KILL_OSD_LONG || kind == SoakFault.FREEZE_OSD_LONG) {
      anotherBeside(kind);
      watch.awaitState(STATE_SECONDS, osd, NodeState.DOWN);
    } else if (kind == SoakFault.FREEZE_OSD) {
      last(random.nextInt(2_500));
    } else {
      last(random.nextInt(500));
    }
  }

  /** How long a fault lasts. */
  private static void last(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void anotherBeside(SoakFault kind) throws Exception {
    if (!kind.bearsAnother() || random.nextBoolean()) {
      return;
    }
    last(random.nextInt(1_500));
    if (random.nextInt(3) == 0) {
      sysmgr(SoakFault.KILL_SYSMGR);
    } else {
      daemon(SoakFault.KILL_MANAGER, anyManager());
    }
  }

  private void daemon(SoakFault kind, DaemonProcess daemon) throws Exception {
    long beginNanos = System.nanoTime();
    if (kind.isFreeze()) {
      ProcessHandle process = daemon.process().orElseThrow();
      Signals.freeze(process);
      last(MIN_BEYOND_LEASE_MILLIS + random.nextInt(3_000));
      Signals.thaw(process);
    } else if (kind.isKill()) {
      DaemonCluster.kill(daemon);
      last((long) random.nextInt(2) * random.nextInt(3_000));
      daemon.start();
    } else {
      daemon.stop();
      daemon.start();
    }
    tally.fault(kind, daemon.name(), beginNanos);
  }

  private void sysmgr(SoakFault kind) throws Exception {
    DaemonProcess sysmgr = anyMember();
    long beginNanos = System.nanoTime();
    ProcessHandle process = sysmgr.process().orElseThrow();
    if (kind.isFreeze()) {
      Signals.freeze(process);
    } else {
      DaemonCluster.kill(sysmgr);
    }
    long silentNanos = System.nanoTime();
    last(MIN_BEYOND_LEASE_MILLIS + random.nextInt(3_000));
    if (cluster.members() == 1) {
      tally.silence(silentNanos, clients.numbers());
    }
    if (kind.isFreeze()) {
      Signals.thaw(process);
    } else {
      sysmgr.start();
    }
    tally.fault(kind, sysmgr.name(), beginNanos);
  }

  private void wipeSysmgr() throws Exception {
    int member = 1 + random.nextInt(cluster.members());
    long beginNanos = System.nanoTime();
    LostMember lost = LostMember.kill(cluster, member);
    last((long) random.nextInt(2) * random.nextInt(3_000));
    lost.remove();
    last((long) random.nextInt(2) * random.nextInt(3_000));
    lost.startAnother();
    if (random.nextBoolean()) {
      lost.killAndRestart();
    }
    lost.add();
    tally.fault(SoakFault.WIPE_SYSMGR, cluster.sysmgr(member).name(), beginNanos);
  }

  private void both() throws Exception {
    List<ProcessHandle> members = new ArrayList<>();
    for (int member = 1; member <= cluster.members(); member++) {
      members.add(cluster.sysmgr(member).process().orElseThrow());
    }
    DaemonProcess victim = anyManager();
    ProcessHandle manager = victim.process().orElseThrow();
    long beginNanos = System.nanoTime();
    for (ProcessHandle member : members) {
      Signals.freeze(member);
    }
    long silentNanos = System.nanoTime();
    Signals.freeze(manager);
    last(MIN_BEYOND_LEASE_MILLIS);
    Signals.thaw(manager);
    last(1_000 + random.nextInt(1_000));
    tally.silence(silentNanos, clients.numbers());
    for (ProcessHandle member : members) {
      Signals.thaw(member);
    }
    tally.fault(SoakFault.FREEZE_BOTH, "sysmgr " + victim.name(), beginNanos);
  }

  private void killClient() throws Exception {
    int client = random.nextInt(clients.size());
    long beginNanos = System.nanoTime();
    clients.killAndReplace(client);
    List<String> held = clients.heldByFormer(client);
    for (int i = 0; i < 2 && i < held.size(); i++) {
      var unused = clients.orderTake(held.get(i), client, random);
    }
    tally.fault(SoakFault.KILL_CLIENT, LogName.client(client), beginNanos);
  }

  private void freezeClient(SoakFault kind) throws Exception {
    int client = random.nextInt(clients.size());
    long beginNanos = System.nanoTime();
    if (kind == SoakFault.FREEZE_CLIENT) {
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
    for (int tries = 0; tries < MAX_FREEZES; tries++) {
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
