package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.OTHER_CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_1;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.FakeNamespace;
import org.weft.client.fake.ScriptedDaemon.Fault;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.FileAttributes;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault.Refused;

/** The API over a whole simulated cluster: SysMgr, manager and OSDs in memory. */
class WeftClientTest {
  private static final int OSDS = 5;
  private static final byte[] KEY = new byte[32];
  private static final WeftPath FILE = WeftPath.of("/f");

  private final FakeClusterWorld world = new FakeClusterWorld(11);
  private final FakeNamespace namespace = new FakeNamespace(KEY, Layout.of(4, 1));
  private final FakeManager manager = new FakeManager(CLUSTER, 10_000, 4, namespace);
  private final List<FakeOsd> osds;
  private int callbacks;

  WeftClientTest() {
    osds = world.start(manager, OSDS, KEY);
  }

  private ClientOptions.Builder options() {
    return ClientOptions.builder(
            List.of(SYSMGR_1),
            "ann",
            task -> {
              callbacks++;
              task.run();
            })
        .clientName("host/1/test");
  }

  private WeftFileSystem connect() {
    return world
        .finish(WeftClient.connect(options().build(), world.environment))
        .join()
        .fileSystem();
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private FileStatus write(WeftFileSystem files, WeftPath path, byte[] bytes) {
    WeftOutput output = world.finish(files.create(path, CreateOptions.replacing())).join();
    for (int from = 0; from < bytes.length; from += 300_000) {
      int length = Math.min(300_000, bytes.length - from);
      world.finish(output.write(ByteBuffer.wrap(bytes, from, length))).join();
    }
    return world.finish(output.close()).join();
  }

  private byte[] read(WeftFileSystem files, WeftPath path) {
    WeftInput input = world.finish(files.open(path)).join();
    ByteBuffer target = ByteBuffer.allocate((int) input.status().sizeBytes());
    if (target.hasRemaining()) {
      assertEquals(target.capacity(), world.finish(input.read(0, target)).join());
    }
    assertEquals(-1, world.finish(input.read(target.capacity(), ByteBuffer.allocate(1))).join());
    return target.array();
  }

  private WeftException failureOf(CompletableFuture<?> future) {
    world.finish(future);
    return WeftException.of(assertThrows(Exception.class, future::get));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 65_536, 65_537, 262_144, 3_000_001})
  void writtenBytesAreReadBack(int length) {
    WeftFileSystem files = connect();
    byte[] bytes = random(length);
    FileStatus status = write(files, FILE, bytes);
    assertEquals(length, status.sizeBytes());
    assertEquals(FILE, status.path());
    assertEquals(Optional.of(Layout.of(4, 1)), status.layout());
    assertArrayEquals(bytes, read(files, FILE));
    assertEquals(0, world.wire.unreleasedPayloads());
    assertTrue(callbacks > 0, "futures complete on the caller's executor");
  }

  @Test
  void aReadDoesWithoutALostOsdAndTellsTheManager() {
    WeftFileSystem files = connect();
    byte[] bytes = random(2_000_000);
    write(files, FILE, bytes);
    osds.get(1).stop();
    assertArrayEquals(bytes, read(files, FILE));
    assertTrue(world.runUntil(() -> !namespace.reports().isEmpty(), 5_000));
    assertEquals(2, namespace.reports().get(0).getOsd());

    osds.get(2).stop();
    WeftException failure =
        failureOf(world.finish(files.open(FILE)).join().read(0, ByteBuffer.allocate(2_000_000)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().startsWith("/f: "), failure.getMessage());
  }

  @Test
  void aWriterNamesItsLostOsdAndGivesTheFileBack() {
    WeftFileSystem files = connect();
    WeftOutput output = world.finish(files.create(FILE, CreateOptions.newFile())).join();
    osds.get(3).faults(opcode -> new Refused(ErrorCode.NO_SPACE));
    var unused = world.finish(output.write(ByteBuffer.wrap(random(3_000_000))));
    WeftException failure = failureOf(output.close());
    assertEquals(ErrorCode.NO_SPACE, failure.code());
    assertTrue(failure.getMessage().contains("OSD 4"), failure.getMessage());
    assertTrue(failure.getMessage().startsWith("/f: "), failure.getMessage());
    assertTrue(world.runUntil(() -> !namespace.closes().isEmpty(), 5_000));
    assertTrue(namespace.closes().get(0).getAbandoned());
  }

  @Test
  void lostConnectionsToTheManagerFailNoCall() {
    WeftFileSystem files = connect();
    manager.next(Fault.LOSE_REPLY, Fault.LOSE_REQUEST, Fault.NOT_SERVING);
    byte[] bytes = random(500_000);
    write(files, FILE, bytes);
    manager.restart();
    assertArrayEquals(bytes, read(files, FILE));
    assertEquals(List.of(), manager.stale());
  }

  @Test
  void aFileIsPublishedWithItsLengthAndLastSequenceNumber() {
    WeftFileSystem files = connect();
    write(files, FILE, random(3 * 262_144 + 5));
    assertEquals(3 * 262_144 + 5, namespace.closes().get(0).getSize());
    assertEquals(4, namespace.closes().get(0).getCompleteUpTo());
    assertFalse(namespace.closes().get(0).getAbandoned());
  }

  @Test
  void aGrantThatOsdsNoLongerTakeIsReplacedByAnother() {
    WeftFileSystem files = connect();
    byte[] bytes = random(500_000);
    write(files, FILE, bytes);
    WeftInput input = world.finish(files.open(FILE)).join();
    namespace.raiseVersion(1_000);
    FileAttributes file = namespace.file("f");
    for (FakeOsd osd : osds) {
      osd.faults(opcode -> new Refused(ErrorCode.FENCED));
    }
    ByteBuffer target = ByteBuffer.allocate(100);
    assertEquals(ErrorCode.FENCED, failureOf(input.read(0, target)).code());
    for (FakeOsd osd : osds) {
      osd.faults(opcode -> org.weft.testkit.osd.Fault.NONE);
    }
    assertEquals(100, world.finish(input.read(0, target)).join());
    assertArrayEquals(Arrays.copyOf(bytes, 100), target.array());
    assertTrue(
        osds.get(0)
            .objects()
            .contains(ObjectName.of(FakeClusterWorld.ROOT_VOLUME, file.getObjectId())));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void aFileIsReadWhileItGrowsByAppends(long seed) {
    WeftFileSystem files = connect();
    SplittableRandom random = new SplittableRandom(seed);
    byte[] all = random(1_500_000);
    int length = 0;
    write(files, FILE, new byte[0]);
    WeftInput tail = world.finish(files.open(FILE)).join();
    while (length < all.length) {
      WeftOutput output = world.finish(files.append(FILE)).join();
      assertEquals(length, output.positionBytes());
      int published = length;
      for (int step = random.nextInt(4); step >= 0; step--) {
        int count = Math.min(all.length - length, random.nextInt(3) * random.nextInt(150_000));
        world.finish(output.write(ByteBuffer.wrap(all, length, count))).join();
        length += count;
        if (random.nextBoolean()) {
          world.finish(random.nextBoolean() ? output.hflush() : output.hsync()).join();
          published = length;
        }
        assertEquals(published, world.finish(tail.refresh()).join());
        assertArrayEquals(Arrays.copyOf(all, published), read(tail));
      }
      assertEquals(length, world.finish(output.close()).join().sizeBytes());
      assertArrayEquals(Arrays.copyOf(all, length), read(files, FILE));
    }
    assertEquals(List.of(), namespace.reports());
    assertEquals(0, world.wire.unreleasedPayloads());
  }

  @Test
  void flushingWhatHasNotGrownSendsNoRequest() {
    WeftFileSystem files = connect();
    WeftOutput output = world.finish(files.create(FILE, CreateOptions.newFile())).join();
    world.finish(output.hflush()).join();
    world.finish(output.write(ByteBuffer.wrap(random(1_000)))).join();
    world.finish(output.hflush()).join();
    long publications = publications();
    world.finish(output.hflush()).join();
    world.finish(output.hsync()).join();
    assertEquals(1, publications);
    assertEquals(1, publications());
    assertEquals(1_000, world.finish(output.close()).join().sizeBytes());
  }

  private long publications() {
    return manager.received().stream().filter(opcode -> opcode == Opcode.PUBLISH).count();
  }

  @Test
  void noReaderSeesALengthBeforeItsBytesAreStored() {
    WeftFileSystem files = connect();
    WeftOutput output = world.finish(files.create(FILE, CreateOptions.newFile())).join();
    WeftInput tail = world.finish(files.open(FILE)).join();
    CompletableFuture<Void> gate = new CompletableFuture<>();
    osds.get(1).faults(opcode -> org.weft.testkit.osd.Fault.hold(gate));
    world.finish(output.write(ByteBuffer.wrap(random(1_000)))).join();
    CompletableFuture<Void> flushed = output.hflush();
    world.pass(300);
    assertFalse(flushed.isDone());
    assertEquals(0, world.finish(tail.refresh()).join());
    assertThrows(IllegalStateException.class, () -> output.write(ByteBuffer.allocate(1)));
    gate.complete(null);
    world.finish(flushed).join();
    assertEquals(1_000, world.finish(tail.refresh()).join());
  }

  @Test
  void aSecondAppenderWaitsForTheFirst() {
    WeftFileSystem files = connect();
    write(files, FILE, random(100_000));
    WeftOutput first = world.finish(files.append(FILE)).join();
    CompletableFuture<WeftOutput> second = files.append(FILE);
    world.pass(2_000);
    assertFalse(second.isDone());
    world.finish(first.close()).join();
    assertEquals(100_000, world.finish(second).join().positionBytes());
  }

  /** P 5.8: the manager is asked until the cluster has given the OSD up; nothing is lost. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aWriterThatLosesAnOsdGoesOnWithoutIt(long seed) {
    WeftFileSystem files = connect();
    SplittableRandom random = new SplittableRandom(seed);
    byte[] bytes = random(4_000_000);
    WeftOutput output = world.finish(files.create(FILE, CreateOptions.newFile())).join();
    int before = random.nextInt(bytes.length / 2);
    world.finish(output.write(ByteBuffer.wrap(bytes, 0, before))).join();
    FakeOsd lost = osds.get(random.nextInt(OSDS));
    lost.stop();
    world.finish(output.write(ByteBuffer.wrap(bytes, before, 600_000))).join();
    CompletableFuture<Void> flushed = output.hflush();
    world.pass(4_000);
    assertFalse(flushed.isDone());
    assertTrue(!namespace.reports().isEmpty());
    namespace.giveUp(lost.id());
    if (random.nextBoolean()) {
      manager.next(Fault.LOSE_REPLY);
    }
    world.finish(flushed).join();
    int after = before + 600_000;
    assertArrayEquals(Arrays.copyOf(bytes, after), read(files, FILE));
    world.finish(output.write(ByteBuffer.wrap(bytes, after, bytes.length - after))).join();
    assertEquals(bytes.length, world.finish(output.close()).join().sizeBytes());
    assertArrayEquals(bytes, read(files, FILE));
    assertEquals(List.of(), manager.stale());
    assertEquals(1, namespace.closes().size());
    assertFalse(namespace.closes().get(0).getAbandoned());
  }

  @Test
  void aWriterThatLosesMoreThanItsParityBearsSaysSo() {
    WeftFileSystem files = connect();
    WeftOutput output = world.finish(files.create(FILE, CreateOptions.newFile())).join();
    for (FakeOsd lost : osds.subList(1, 3)) {
      lost.stop();
      namespace.giveUp(lost.id());
    }
    world.finish(output.write(ByteBuffer.wrap(random(1_000_000)))).join();
    WeftException failure = failureOf(output.hflush());
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().startsWith("/f: "), failure.getMessage());
    assertTrue(world.runUntil(() -> !namespace.closes().isEmpty(), 5_000));
    assertTrue(namespace.closes().get(0).getAbandoned());
  }

  @Test
  void aWriterWhoseFileWasTakenIsToldSo() {
    WeftFileSystem files = connect();
    WeftOutput output = world.finish(files.create(FILE, CreateOptions.newFile())).join();
    world.finish(output.write(ByteBuffer.wrap(random(1_000)))).join();
    namespace.revoke("f");
    assertEquals(ErrorCode.GRANT_REVOKED, failureOf(output.hflush()).code());
    assertEquals(ErrorCode.GRANT_REVOKED, failureOf(output.close()).code());
  }

  private byte[] read(WeftInput input) {
    ByteBuffer target = ByteBuffer.allocate((int) input.status().sizeBytes());
    if (target.hasRemaining()) {
      assertEquals(target.capacity(), world.finish(input.read(0, target)).join());
    }
    return target.array();
  }

  @Test
  void directoriesComeInPagesAndToTheEnd() {
    WeftFileSystem files = connect();
    for (int number = 0; number < 25; number++) {
      namespace.put(String.format("n%02d", number));
    }
    DirectoryListing listing = files.list(WeftPath.ROOT, 10, true);
    List<String> names = new ArrayList<>();
    List<Integer> pages = new ArrayList<>();
    while (true) {
      Optional<List<FileStatus>> page = world.finish(listing.nextPage()).join();
      if (page.isEmpty()) {
        break;
      }
      pages.add(page.get().size());
      page.get().forEach(status -> names.add(status.path().name()));
    }
    assertEquals(List.of(10, 10, 5), pages);
    assertEquals(25, names.stream().distinct().count());
    assertTrue(world.finish(listing.nextPage()).join().isEmpty());
  }

  @Test
  void aListingGivesOnePageAtATime() {
    DirectoryListing listing = connect().list(WeftPath.ROOT);
    var unused = listing.nextPage();
    assertThrows(IllegalStateException.class, listing::nextPage);
  }

  @Test
  void refusalsNameThePath() {
    WeftFileSystem files = connect();
    WeftException missing = failureOf(files.open(WeftPath.of("/nowhere")));
    assertEquals(ErrorCode.NOT_FOUND, missing.code());
    assertEquals("/nowhere: no such file", missing.getMessage());
    write(files, FILE, random(1));
    assertEquals(ErrorCode.EXISTS, failureOf(files.create(FILE, CreateOptions.newFile())).code());
  }

  @Test
  void aFileThatIsNotWantedAnyMoreIsGivenBack() {
    WeftFileSystem files = connect();
    CompletableFuture<WeftOutput> created = files.create(FILE, CreateOptions.newFile());
    created.cancel(false);
    assertTrue(world.runUntil(() -> !namespace.closes().isEmpty(), 5_000));
    assertTrue(namespace.closes().get(0).getAbandoned());
  }

  @Test
  void anotherClusterIsRefused() {
    CompletableFuture<WeftClient> connected =
        WeftClient.connect(options().clusterId(OTHER_CLUSTER).build(), world.environment);
    WeftException failure = failureOf(connected);
    assertEquals(ErrorCode.WRONG_CLUSTER, failure.code());
    assertTrue(failure.getMessage().contains(CLUSTER.value()), failure.getMessage());
  }

  @Test
  void optionsThatCannotWorkAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> options().writeWindowBytes(1 << 30).build());
    assertThrows(IllegalArgumentException.class, () -> options().requestTimeoutMillis(0).build());
    assertThrows(IllegalArgumentException.class, () -> options().umask(010_000).build());
    assertThrows(
        IllegalArgumentException.class,
        () -> ClientOptions.builder(List.of(), "ann", Runnable::run).build());
  }
}
