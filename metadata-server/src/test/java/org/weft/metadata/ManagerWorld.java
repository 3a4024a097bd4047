package org.weft.metadata;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.osd.OsdConnections;
import org.weft.client.volume.SessionOptions;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeMount;
import org.weft.client.volume.VolumeSession;
import org.weft.metadata.repair.RepairOptions;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.sim.SimProcess;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.StorageFaults;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/**
 * A SysMgr, OSDs and clients around one real manager, on virtual time and from one seed. The
 * manager's files are real ones.
 */
final class ManagerWorld {
  static final int MIN_OSDS = 3;
  private static final long MAX_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final Endpoint ANY = new Endpoint("127.0.0.1", 0);

  final VirtualTime time;
  final VirtualWire wire;
  final FakeCluster cluster;
  final FakeSysmgr sysmgr;
  final List<FakeOsd> osds = new ArrayList<>();
  private final SplittableRandom random;
  private final Environment environment;
  private final Path folder;
  private SimProcess process;
  private WatchedScheduler executors;
  private Optional<DataFolders> inMemory = Optional.empty();
  private ManagerDaemon manager;
  private CompletableFuture<Void> begun;

  ManagerWorld(long seed, int osdCount, Path folder) {
    this.random = new SplittableRandom(seed);
    this.time = new VirtualTime(seed);
    this.wire = new VirtualWire(time, seed);
    this.environment = new Environment(time, time, time, random.split(), wire, () -> "boot");
    this.folder = folder;
    this.cluster = FakeCluster.seeded(seed);
    this.sysmgr = FakeSysmgr.start(wire, cluster);
    for (int osd = 1; osd <= osdCount; osd++) {
      addOsd(osd);
    }
  }

  /** One more OSD, which joins. */
  void addOsd(int number) {
    byte[] key = cluster.partition(FakeCluster.ROOT_VOLUME).getKeys(0).getKey().toByteArray();
    FakeOsd osd =
        FakeOsd.start(
            new OsdId(number),
            cluster.clusterId(),
            wire,
            time.newPool("osd-" + number, 4, 100_000),
            key);
    osds.add(osd);
    time.await(join(number, 1));
  }

  private CompletableFuture<Void> join(int number, long incarnation) {
    FakeOsd osd = osds.get(number - 1);
    JoinRequest join =
        JoinRequest.newBuilder()
            .setIdentity("osd" + number)
            .addAddresses(
                AddressMessage.newBuilder()
                    .setHost(osd.address().host())
                    .setPort(osd.address().port()))
            .setHost("host-" + number)
            .setIncarnation(incarnation)
            .setCapacityBytes(1L << 40)
            .build();
    return tellSysmgr(Opcode.JOIN_OSD, join);
  }

  /** The OSD starts again, and SysMgr knows it. */
  void restartOsd(int number) {
    time.await(startOsdAgain(number));
  }

  /** As the other one, without waiting until SysMgr knows it. */
  CompletableFuture<Void> startOsdAgain(int number) {
    FakeOsd osd = osds.get(number - 1);
    osd.restart();
    return join(number, osd.incarnation());
  }

  private void askSysmgr(Opcode opcode, MessageLite body) {
    time.await(tellSysmgr(opcode, body));
  }

  private CompletableFuture<Void> tellSysmgr(Opcode opcode, MessageLite body) {
    RpcRequest request = RpcRequest.signed(opcode, body, 1_000, JoinSecret.of(cluster.joinToken()));
    return wire.connect(sysmgr.address(), ConnectOptions.to(Optional.empty(), "test"))
        .thenCompose(
            connection ->
                connection
                    .call(request)
                    .thenAccept(
                        reply -> {
                          reply.payload().release();
                          connection.close();
                        }))
        .toCompletableFuture();
  }

  /** Another process acquires the manager's volumes: it has been deposed. */
  void depose() {
    askSysmgr(Opcode.ACQUIRE_VOLUMES, AcquireVolumesRequest.newBuilder().setManagerId(1).build());
  }

  /** SysMgr has given up on the OSD, which is gone. */
  void osdDown(int number) {
    osds.get(number - 1).stop();
    cluster.osdState(number, NodeState.DOWN);
  }

  /** The OSD is back, with all it had. */
  void osdUp(int number) {
    restartOsd(number);
    cluster.osdState(number, NodeState.UP);
  }

  ManagerOptions options() {
    return new ManagerOptions(
        folder,
        ANY,
        ANY,
        List.of(sysmgr.address()),
        cluster.joinToken(),
        "host",
        MIN_OSDS,
        // What waits for its repair is looked at here, and stays.
        ManagerTuning.DEFAULT.withRepair(RepairOptions.OFF));
  }

  /** The manager's files are on a disk that may fail. */
  void onDisk(StorageFaults faults) {
    onDisk(faults, folder -> {});
  }

  /** The same, and each folder that is to be opened is told first. */
  void onDisk(StorageFaults faults, Consumer<String> opening) {
    inMemory = Optional.of(new MemoryFolders(faults, opening));
  }

  /** Begins to start a manager in a process of its own. */
  void launch() {
    process = newProcess();
    try {
      DataFolders folders = inMemory.isPresent() ? inMemory.get() : LocalFolders.open(folder);
      manager = ManagerDaemon.prepare(options(), folders, watched(process.environment()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    begun = manager.begin();
  }

  private Environment watched(Environment of) {
    executors = new WatchedScheduler(of.scheduler());
    return new Environment(
        of.clock(), of.ticker(), executors, of.random(), of.transport(), of.bootIdentity());
  }

  /** As in a daemon: an executor that is closed waits until what it was given has run. */
  void release() {
    executors.endWith(over -> refusing(() -> time.runUntil("an executor has ended", over)));
    manager.release();
    refusing(() -> pass(5_000));
  }

  /** What comes for a thread that has ended is refused; a daemon's threads log that. */
  private static void refusing(Runnable step) {
    int refused = 0;
    while (true) {
      try {
        step.run();
        return;
      } catch (RejectedExecutionException e) {
        if (refused++ > 1_000) {
          throw e;
        }
      }
    }
  }

  /** From now on the manager that was launched last gets no threads of names that begin so. */
  void refuseThreads(String name) {
    executors.fail(name, WatchedScheduler.Step.EXECUTE);
  }

  /** It gets threads again. */
  void giveThreads() {
    executors.fail("", WatchedScheduler.Step.NONE);
  }

  /** How often it got none. */
  int threadsRefused() {
    return executors.failures();
  }

  /** Journals that the manager that was launched last has open. */
  List<String> openJournals() {
    return executors.open("journal-");
  }

  /** Why the manager could not be started. */
  WeftException startFailure() {
    time.runUntil("the start has ended", begun::isDone);
    try {
      var unused = begun.join();
      throw new AssertionError("the manager started");
    } catch (CompletionException e) {
      return WeftException.of(e);
    }
  }

  Environment someEnvironment() {
    return environment;
  }

  /** A manager that serves. */
  void start() {
    launch();
    awaitServing();
  }

  void awaitServing() {
    long deadlineNanos = time.nowNanos() + TimeUnit.MINUTES.toNanos(10);
    time.runUntil(
        "the manager serves",
        () -> manager != null && manager.isServing() || time.nowNanos() > deadlineNanos);
    if (!manager.isServing()) {
      throw new AssertionError("the manager does not serve: " + manager.problems());
    }
  }

  ManagerDaemon manager() {
    return manager;
  }

  boolean isRunning() {
    return manager != null;
  }

  void kill() {
    if (manager != null) {
      process.kill();
      manager.release();
      manager = null;
    }
  }

  /** The manager's process stands still. */
  void pause() {
    process.pause();
  }

  /** It goes on. */
  void resume() {
    process.resume();
  }

  /** A clean stop. */
  void stop() {
    time.await(manager.drain());
    time.await(manager.leave());
    kill();
  }

  void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A client library's session with the volume. */
  VolumeCalls client(String user, String... groups) {
    return client(environment, user, groups);
  }

  /** A client in a process of its own, which may die. */
  VolumeCalls clientIn(SimProcess home) {
    return client(home.environment(), "weft", "supergroup");
  }

  /** A process for a client. */
  SimProcess newProcess() {
    SplittableRandom disk = new SplittableRandom(random.nextLong());
    // A disk that now and then takes its time, so that much happens before a record is durable.
    SimProcess.Surroundings machine =
        new SimProcess.Surroundings(
            "",
            time,
            time,
            () -> "boot",
            executor ->
                executor.startsWith("journal-") && disk.nextInt(2) == 0
                    ? disk.nextLong(MAX_SYNC_NANOS)
                    : 0);
    return new SimProcess(time, wire, machine, new SplittableRandom(random.nextLong()));
  }

  /** Typed calls of OSDs, as a client makes them. */
  OsdConnections osdConnections() {
    return new OsdConnections(
        environment,
        osd -> List.of(osds.get(osd.value() - 1).address()),
        () -> Optional.of(cluster.clusterId()),
        "client");
  }

  private VolumeCalls client(Environment in, String user, String... groups) {
    return client(in, FakeCluster.ROOT_VOLUME, VolumeMount.ROOT, user, groups);
  }

  /** A superuser's session with another volume; paths are those in the cluster. */
  VolumeCalls superuserOf(long volumeId, String path) {
    return client(environment, volumeId, new VolumeMount(path), "weft", "supergroup");
  }

  private VolumeCalls client(
      Environment in, long volumeId, VolumeMount mount, String user, String... groups) {
    OwnedExecutor home = in.scheduler().newSerialExecutor("client");
    ClusterView view =
        time.await(
            ClusterView.open(
                ClusterViewOptions.of(
                    List.of(sysmgr.address()), Optional.of(cluster.clusterId()), "client"),
                in,
                home));
    SessionOptions session = SessionOptions.of(volumeId, user, List.of(groups), "host/1/" + user);
    return new VolumeCalls(new VolumeSession(session, mount, cluster.clusterId(), view, in, home));
  }

  VolumeCalls superuser() {
    return client("weft", "supergroup");
  }
}
