package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.volume.Volume;

/** A simulated cluster, and what scripts do with it again and again. */
final class Stage {
  static final int UNIT = 4096;

  /** Four data units and one parity: six OSDs leave one spare. */
  static final LayoutSpec WIDE = LayoutSpec.of(4, 1, UNIT);

  static final int STRIPE = 4 * UNIT;

  private static final long ROOT_VOLUME = 1;
  private static final long BACKUP_MILLIS = 120_000;
  private static final long CALL_MILLIS = 180_000;
  private static final long SETTLE_MILLIS = 300_000;

  private final World world;
  private final Set<PendingWrite> former = new HashSet<>();

  private Stage(World world) {
    this.world = world;
  }

  static Stage boot(WorldOptions options) {
    World world = World.create(options);
    world.boot();
    return new Stage(world);
  }

  static Stage boot() {
    return boot(WorldOptions.of(1));
  }

  World world() {
    return world;
  }

  /** A new client, connected. */
  ClientNode client() throws WeftException {
    return connected(world.newClient());
  }

  /** A client that managers trust. */
  ClientNode gateway() throws WeftException {
    return connected(world.newGateway());
  }

  /** The same, and it waits for units that are late. */
  ClientNode patientClient() throws WeftException {
    return connected(world.newPatientClient());
  }

  private ClientNode connected(ClientNode client) throws WeftException {
    client.start();
    var unused = call(client.connected());
    return client;
  }

  /** What the call gives; fails as it does. */
  <T> T call(CompletableFuture<T> call) throws WeftException {
    world.await("a call has ended", CALL_MILLIS, call::isDone);
    try {
      return call.join();
    } catch (RuntimeException e) {
      throw WeftException.of(e);
    }
  }

  /** Lets time pass until the call has failed. */
  WeftException failureOf(CompletableFuture<?> call) {
    world.await("a call has ended", CALL_MILLIS, call::isDone);
    assertTrue(call.isCompletedExceptionally(), "the call was to fail");
    try {
      throw new AssertionError(call.join());
    } catch (RuntimeException e) {
      return WeftException.of(e);
    }
  }

  /** Bytes of which no two runs are alike. */
  static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** The content with other bytes at a place. */
  static byte[] changed(byte[] content, int position, byte[] bytes) {
    byte[] after = Arrays.copyOf(content, Math.max(content.length, position + bytes.length));
    System.arraycopy(bytes, 0, after, position, bytes.length);
    return after;
  }

  /** Writes a new file and closes it. */
  void put(ClientNode client, String path, LayoutSpec layout, byte[] content) throws WeftException {
    WeftOutput out =
        call(client.files().create(WeftPath.of(path), CreateOptions.newFile().withLayout(layout)));
    call(out.write(ByteBuffer.wrap(content)));
    call(out.close());
  }

  /** The same, and it is open for changes. */
  WeftFile open(ClientNode client, String path, LayoutSpec layout, byte[] content)
      throws WeftException {
    put(client, path, layout, content);
    return open(client, path);
  }

  /**
   * A file that a client has open for changes.
   *
   * @param other a client that has nothing of it open
   */
  record OpenedFile(ClientNode writer, ClientNode other, WeftFile file, StorageMap map) {}

  /** A new file that a new client has open for changes. */
  OpenedFile opened(String path, byte[] content) throws WeftException {
    ClientNode writer = client();
    ClientNode other = client();
    WeftFile file = open(writer, path, WIDE, content);
    return new OpenedFile(writer, other, file, map(other, path));
  }

  /** The file opened for reading, by a map of now; it holds these bytes. */
  WeftInput reading(ClientNode reader, String path, byte[] expected) throws WeftException {
    WeftInput in = call(reader.files().open(WeftPath.of(path)));
    assertArrayEquals(expected, read(in, expected.length));
    return in;
  }

  /** Waits for the client that has it, as long as that takes. */
  WeftFile open(ClientNode client, String path) throws WeftException {
    long endNanos = world.time().nowNanos() + SETTLE_MILLIS * 1_000_000;
    while (true) {
      try {
        WeftFile file = call(client.files().openForUpdate(WeftPath.of(path)));
        forget(objectId(client, path));
        return file;
      } catch (WeftException e) {
        if (e.code() != ErrorCode.BEING_WRITTEN || world.time().nowNanos() > endNanos) {
          throw e;
        }
      }
    }
  }

  /** What is pending of the object now belongs to grants that have ended: it does not count. */
  private void forget(long objectId) {
    for (SimulatedOsd osd : world.osds()) {
      if (osd.isRunning()) {
        former.addAll(stored(osd, objectId));
      }
    }
  }

  /**
   * Writes to the beginning of a file again and again: a client that wants it does not find it
   * idle.
   */
  void keepWriting(WeftFile file, byte[] bytes, long millis) throws WeftException {
    long endNanos = world.time().nowNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (world.time().nowNanos() < endNanos) {
      call(write(file, 0, bytes));
      world.pass(50);
    }
  }

  static CompletableFuture<Void> write(WeftFile file, int position, byte[] bytes) {
    return file.write(position, ByteBuffer.wrap(bytes));
  }

  byte[] read(ClientNode client, String path) throws WeftException {
    try (WeftInput in = call(client.files().open(WeftPath.of(path)))) {
      return read(in, (int) in.status().sizeBytes());
    }
  }

  byte[] read(WeftInput in, int length) throws WeftException {
    ByteBuffer target = ByteBuffer.allocate(length + 1);
    int count = call(in.read(0, target));
    return Arrays.copyOf(target.array(), Math.max(0, count));
  }

  StorageMap map(ClientNode client, String path) throws WeftException {
    return call(client.files().attributes(WeftPath.of(path))).map().orElseThrow();
  }

  long objectId(ClientNode client, String path) throws WeftException {
    return call(client.files().attributes(WeftPath.of(path))).objectId();
  }

  SimulatedOsd osd(StorageMap map, int component) {
    int id = map.osdOf(component).value();
    return world.osds().stream().filter(osd -> osd.osdId() == id).findFirst().orElseThrow();
  }

  /** The OSD with a data unit of the file's first stripe. */
  SimulatedOsd dataOsd(StorageMap map, int unit) {
    return osd(map, map.layout().dataComponent(0, unit));
  }

  /** The OSD with the first parity of the file's first stripe. */
  SimulatedOsd parityOsd(StorageMap map) {
    return osd(map, map.layout().parityComponent(0, 0));
  }

  /**
   * What the OSD does not know to be complete of the object since it was opened last; none if it
   * has no such object.
   */
  List<PendingWrite> pending(SimulatedOsd osd, long objectId) {
    return stored(osd, objectId).stream().filter(write -> !former.contains(write)).toList();
  }

  private static List<PendingWrite> stored(SimulatedOsd osd, long objectId) {
    PartitionId partition = new PartitionId(ROOT_VOLUME);
    Authority authority =
        Authority.ofManager(
            osd.store()
                .partition(partition)
                .map(state -> Math.max(1, state.fenceEpoch()))
                .orElse(1L));
    try {
      return osd.store().listPending(ObjectName.of(ROOT_VOLUME, objectId), authority).writes();
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NO_SUCH_OBJECT) {
        return List.of();
      }
      throw new AssertionError(osd.name() + ": " + e, e);
    }
  }

  /** The OSD's store has an object of that name. */
  boolean hasObject(SimulatedOsd osd, long objectId) {
    return usedBytes(osd, objectId) >= 0;
  }

  /** What the object of that name takes of the OSD's store; negative if there is none. */
  long usedBytes(SimulatedOsd osd, long objectId) {
    PartitionId partition = new PartitionId(ROOT_VOLUME);
    Authority authority =
        Authority.ofManager(
            osd.store()
                .partition(partition)
                .map(state -> Math.max(1, state.fenceEpoch()))
                .orElse(1L));
    try {
      return osd.store().attributes(ObjectName.of(ROOT_VOLUME, objectId), authority).usedBytes();
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NO_SUCH_OBJECT || e.code() == ErrorCode.TOMBSTONE) {
        return -1;
      }
      throw new AssertionError(osd.name() + ": " + e, e);
    }
  }

  void awaitPending(SimulatedOsd osd, long objectId) {
    world.await(
        osd.name() + " holds a pending write",
        CALL_MILLIS,
        () -> osd.isRunning() && !pending(osd, objectId).isEmpty());
  }

  /** No client writes the file any more, and nothing of it waits. */
  void awaitClosed(ClientNode client, String path) throws WeftException {
    long endNanos = world.time().nowNanos() + SETTLE_MILLIS * 1_000_000;
    while (!call(client.files().isClosed(WeftPath.of(path)))) {
      assertTrue(world.time().nowNanos() < endNanos, path + " is put in order in time");
      world.pass(500);
    }
  }

  /** Ends what was done to network and machines, and waits until all is quiet. */
  void heal() {
    world.heal(SETTLE_MILLIS);
  }

  void restart(SimulatedOsd osd) {
    osd.start();
    world.await(osd.name() + " serves", CALL_MILLIS, osd::isServing);
  }

  /**
   * A fresh client reads these bytes, also without any one of the OSDs that the map calls present.
   * So data and parity of every stripe agree.
   */
  void assertHolds(String path, byte[] expected) throws WeftException {
    ClientNode stranger = client();
    assertArrayEquals(expected, read(stranger, path), path);
    StorageMap map = map(stranger, path);
    if (!map.missing().isEmpty()) {
      return;
    }
    stranger.kill();
    for (int component = 0; component < map.components().size(); component++) {
      SimulatedOsd away = osd(map, component);
      away.kill();
      ClientNode other = client();
      assertArrayEquals(expected, read(other, path), path + " without component " + component);
      other.kill();
      restart(away);
    }
  }

  /** Asks for the OSD to be emptied, and comes back when that is recorded. */
  void drain(SimulatedOsd osd) throws WeftException {
    var recorded = call(world.osdDrains().drain(osd));
  }

  /** All managers say that nothing of their volumes is on the OSD. */
  boolean isEmptied(SimulatedOsd drained) {
    return world.managers().stream()
        .flatMap(manager -> manager.health().stream())
        .allMatch(volume -> volume.getClearedOsdList().contains(drained.osdId()));
  }

  /** What the managers have to do, and what keeps them from it. */
  List<String> work() {
    return world.managers().stream()
        .map(manager -> manager.health() + " " + manager.problems())
        .toList();
  }

  /** The row of the root volume, as SysMgr's leader has it. */
  Volume rootVolume() {
    return world.configuration().map(known -> known.volumes().get(Volume.ROOT)).orElseThrow();
  }

  void awaitBackup() {
    world.await(
        "the volume has a backup",
        BACKUP_MILLIS,
        () ->
            world
                .configuration()
                .filter(known -> known.volumes().get(Volume.ROOT).backup().manager().isPresent())
                .isPresent());
  }

  /** The node of the manager that SysMgr has given that id. */
  SimulatedManager manager(ManagerId id) {
    String name =
        world.configuration().orElseThrow().managers().get(id).node().addresses().get(0).host();
    return world.managers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The manager that serves. */
  SimulatedManager primary() {
    return world.managers().stream()
        .filter(manager -> manager.isRunning() && !manager.isPaused() && manager.isServing())
        .findFirst()
        .orElseThrow();
  }

  /** The first of the others. */
  SimulatedManager other(SimulatedManager manager) {
    return world.managers().stream().filter(each -> each != manager).findFirst().orElseThrow();
  }
}
