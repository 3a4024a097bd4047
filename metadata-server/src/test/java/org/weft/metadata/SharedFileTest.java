package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.ParityReport;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.VolumeCalls;
import org.weft.metadata.SharingClient.Write;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.OpenReply;

/**
 * Several clients write one file at the same time (P 6.5). A read returns the last complete write
 * of each byte, or one beside it, and parity agrees. That holds whatever dies and whatever is lost
 * meanwhile.
 */
class SharedFileTest {
  private static final Layout LAYOUT = new Layout(2, 1, 4_096, 100, 1);
  private static final long STRIPE = LAYOUT.stripeBytes();
  private static final WeftPath FILE = WeftPath.of("/f");

  @TempDir private Path folder;
  private ManagerWorld world;
  private final List<SharingClient> clients = new ArrayList<>();
  private final List<Write> history = new ArrayList<>();
  private long sizeBytes;
  private UpdateOptions options = UpdateOptions.alone();

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.sharing.seeds", 2));
  }

  @AfterEach
  void end() {
    clients.stream().filter(SharingClient::isAlive).forEach(SharingClient::kill);
    if (world != null) {
      world.kill();
    }
  }

  private void begin(long seed, int writers, int lostPushesOfTen, long fileBytes) {
    world = new ManagerWorld(seed, 5, folder);
    world.start();
    sizeBytes = fileBytes;
    VolumeCalls maker = world.superuser();
    var created =
        world.time.await(
            maker.create(
                "/f",
                new VolumeCalls.Creation(0644, 0, false, false, Optional.of(LAYOUT.toMessage()))));
    world.time.await(
        maker.close(
            new SessionGrant(
                "/f",
                created.sessionId(),
                created.body().getAttributes().getObjectId(),
                created.body().getGrant().getNumber()),
            0,
            0,
            false));
    for (int writer = 0; writer < writers; writer++) {
      SharingClient client =
          new SharingClient(world, FILE, history, lostPushesOfTen, options, 100 * seed + writer);
      world.time.await(client.open());
      clients.add(client);
    }
  }

  private void write(int writesOfEach) {
    long part = sizeBytes / clients.size();
    for (int each = 0; each < clients.size(); each++) {
      clients.get(each).begin(writesOfEach, sizeBytes, each * part, (each + 1) * part);
    }
  }

  private void awaitWritten() {
    long deadlineNanos = world.time.nowNanos() + TimeUnit.MINUTES.toNanos(20);
    world.time.runUntil(
        "all is written",
        () ->
            clients.stream().allMatch(SharingClient::isDone)
                || world.time.nowNanos() > deadlineNanos);
    assertTrue(clients.stream().allMatch(SharingClient::isDone), "a client waits for ever");
  }

  private void closeAll() {
    for (SharingClient client : clients) {
      if (client.isAlive()) {
        world.time.await(client.file().close());
      }
    }
  }

  private void assertContent() {
    VolumeCalls reader = world.superuser();
    OpenReply open = null;
    for (int tries = 0; tries < 200; tries++) {
      open = world.time.await(reader.openForReading("/f")).body();
      if (!open.getGrant().getBeingWritten()) {
        break;
      }
      world.pass(500);
    }
    assertTrue(!open.getGrant().getBeingWritten(), "it is never in order");
    long least =
        history.stream()
            .filter(write -> write.endedNanos != Long.MAX_VALUE)
            .mapToLong(write -> write.to)
            .max()
            .orElse(0);
    int length = (int) open.getAttributes().getSize();
    assertTrue(length >= least, length + " of " + least);
    StripeEngine engine =
        new StripeEngine(
            world.someEnvironment(),
            world.osdConnections(),
            world.time.newPool("cpu", 2, 10_000),
            StripeOptions.defaults());
    StripedFile file =
        new StripedFile(
            ObjectName.of(1, open.getAttributes().getObjectId()),
            StorageMap.fromMessage(open.getGrant().getMap()),
            new SignedCapability(
                open.getGrant().getCapability(), open.getGrant().getSecret().toByteArray()));
    ByteBuffer content = ByteBuffer.allocate(length);
    while (content.hasRemaining()) {
      int read =
          world.time.await(
              engine.read(file, length, false, failure -> {}).read(content.position(), content));
      assertTrue(read > 0, "it ends at " + content.position());
    }
    assertPossible(content);
    if (file.map().missing().isEmpty()) {
      ParityReport report = world.time.await(engine.parityOf(file).verify());
      assertEquals(0, report.wrongUnits());
    }
  }

  /** Between two ends of writes all bytes have the same history. */
  private void assertPossible(ByteBuffer content) {
    TreeSet<Long> ends = new TreeSet<>(List.of(0L, (long) content.limit()));
    for (Write write : history) {
      ends.add(Math.min(write.from, content.limit()));
      ends.add(Math.min(write.to, content.limit()));
    }
    long from = ends.pollFirst();
    for (long to : ends) {
      Set<Byte> possible = possible(from);
      for (long at = from; at < to; at++) {
        byte found = content.get((int) at);
        assertTrue(possible.contains(found), "byte " + at + " is " + found + ", not " + possible);
      }
      from = to;
    }
  }

  private Set<Byte> possible(long at) {
    List<Write> here = history.stream().filter(write -> write.from <= at && at < write.to).toList();
    Set<Byte> possible = new TreeSet<>();
    if (here.stream().allMatch(write -> write.endedNanos == Long.MAX_VALUE)) {
      possible.add((byte) 0);
    }
    for (Write write : here) {
      boolean overwritten =
          here.stream()
              .anyMatch(
                  later ->
                      later.endedNanos != Long.MAX_VALUE && later.beganNanos > write.endedNanos);
      if (!overwritten) {
        possible.add(write.value);
      }
    }
    return possible;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theLastWriteOfEachClientIsThere(long seed) {
    begin(seed, 2 + (int) (seed % 3), 0, 20 * STRIPE);
    write(25);
    awaitWritten();
    assertTrue(clients.stream().mapToInt(SharingClient::pushes).sum() > 0, "no range was recalled");
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void lostRecallsAreRepeated(long seed) {
    begin(seed, 3, 5, 8 * STRIPE);
    write(15);
    for (int each = 0; each < 10; each++) {
      world.pass(700);
      clients.get(each % 3).cutControl();
    }
    awaitWritten();
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theManagerMayDieAtAnyTime(long seed) {
    begin(seed, 3, 2, 12 * STRIPE);
    write(20);
    SplittableRandom random = new SplittableRandom(seed);
    for (int each = 0; each < 3; each++) {
      world.pass(random.nextInt(400));
      world.kill();
      world.pass(random.nextInt(2_000));
      world.start();
    }
    awaitWritten();
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theOthersGoOnWhenOneDies(long seed) {
    begin(seed, 4, 1, 12 * STRIPE);
    write(20);
    SplittableRandom random = new SplittableRandom(seed);
    for (int each = 0; each < 2; each++) {
      world.pass(random.nextInt(300));
      clients.get(each).kill();
    }
    awaitWritten();
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void writersAndManagersDie(long seed) {
    begin(seed, 4, 3, 10 * STRIPE);
    write(20);
    SplittableRandom random = new SplittableRandom(seed);
    world.pass(random.nextInt(300));
    clients.get(0).kill();
    world.pass(random.nextInt(12_000));
    world.kill();
    world.pass(random.nextInt(2_000));
    world.start();
    world.pass(random.nextInt(300));
    clients.get(1).kill();
    awaitWritten();
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void allSharersContinueWithoutALostOsd(long seed) {
    begin(seed, 3, 1, 12 * STRIPE);
    write(20);
    SplittableRandom random = new SplittableRandom(seed);
    world.pass(random.nextInt(300));
    loseOsdOf(random.nextInt(3));
    awaitWritten();
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anOsdAWriterAndTheManagerAreLostTogether(long seed) {
    begin(seed, 4, 1, 12 * STRIPE);
    write(20);
    SplittableRandom random = new SplittableRandom(seed);
    world.pass(random.nextInt(300));
    clients.get(0).kill();
    loseOsdOf(random.nextInt(3));
    world.pass(random.nextInt(2_000));
    world.kill();
    world.pass(random.nextInt(2_000));
    world.start();
    awaitWritten();
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void lastGatheredFlushOfEachClientIsThere(long seed) {
    options = options.withGathering(UpdateOptions.MIN_GATHER_BYTES, 1 + (int) seed % 2 * 200);
    begin(seed, 2 + (int) (seed % 3), (int) (seed % 2), 20 * STRIPE);
    write(40);
    awaitWritten();
    assertTrue(clients.stream().mapToInt(SharingClient::pushes).sum() > 0, "no range was recalled");
    closeAll();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void writersThatGatherAndManagersDie(long seed) {
    options = options.withGathering(UpdateOptions.MIN_GATHER_BYTES, 100);
    begin(seed, 4, 2, 10 * STRIPE);
    write(30);
    SplittableRandom random = new SplittableRandom(seed);
    world.pass(random.nextInt(300));
    clients.get(0).kill();
    world.pass(random.nextInt(12_000));
    world.kill();
    world.pass(random.nextInt(2_000));
    world.start();
    awaitWritten();
    closeAll();
    assertContent();
  }

  private void loseOsdOf(int component) {
    OpenReply open = world.time.await(world.superuser().openForReading("/f")).body();
    world.osdDown(StorageMap.fromMessage(open.getGrant().getMap()).osdOf(component).value());
  }

  @Test
  void absentClientLosesItsGrantOnARecall() {
    begin(1, 2, 10, 10 * STRIPE);
    world.time.await(clients.get(0).file().write(0, ByteBuffer.wrap(new byte[] {1})));
    CompletableFuture<Void> second =
        clients.get(1).file().write(1, ByteBuffer.wrap(new byte[] {2}));
    world.pass(8_000);
    assertTrue(!second.isDone(), "before the lease is over");
    world.time.await(second);
    refused(
        ErrorCode.GRANT_REVOKED, clients.get(0).file().write(0, ByteBuffer.wrap(new byte[] {3})));
    WeftFileSystem files = clients.get(1).client().fileSystem();
    world.time.await(clients.get(1).file().close());
    assertArrayEquals(new byte[] {1, 2}, read(files, 2));
  }

  @Test
  void idleSharedFileAcceptsALengthAndAppenders() {
    begin(2, 1, 0, 10 * STRIPE);
    WeftFile file = clients.get(0).file();
    world.time.await(file.write(0, ByteBuffer.wrap(new byte[100])));
    world.time.await(file.setLength(10));
    assertEquals(10, file.sizeBytes());
    world.time.await(file.setLength(100));
    WeftFileSystem files = clients.get(0).client().fileSystem();
    WeftOutput appender = world.time.await(files.append(FILE));
    assertFalse(file.isGranted());
    world.time.await(appender.close());
    world.time.await(file.punch(0, 50));
    world.time.await(file.hsync());
    assertEquals(100, world.time.await(file.close()).sizeBytes());
    WeftOutput output = world.time.await(files.append(FILE));
    WeftFile shared = world.time.await(files.openForUpdate(FILE, true));
    assertFalse(output.isGranted());
    world.time.await(shared.close());
    world.time.await(output.close());
  }

  @Test
  void punchCoversBytesOfOtherWriters() {
    begin(3, 2, 0, 10 * STRIPE);
    WeftFile one = clients.get(0).file();
    WeftFile two = clients.get(1).file();
    world.time.await(one.write(3 * STRIPE, ByteBuffer.wrap(new byte[] {1, 2, 3, 4})));
    world.time.await(two.punch(2 * STRIPE, STRIPE + 2));
    assertEquals(3 * STRIPE + 4, two.sizeBytes());
    world.time.await(one.close());
    world.time.await(two.close());
    byte[] content = read(clients.get(0).client().fileSystem(), (int) (3 * STRIPE) + 4);
    assertArrayEquals(
        new byte[] {0, 0, 3, 4}, Arrays.copyOfRange(content, (int) (3 * STRIPE), content.length));
  }

  /** The other one owns its stripes still, and has bytes there that it gathered. */
  @Test
  void truncationCoversBytesOfOtherWriters() {
    options = options.withGathering(1 << 20, 600_000);
    begin(4, 2, 0, 10 * STRIPE);
    WeftFile one = clients.get(0).file();
    WeftFile two = clients.get(1).file();
    world.time.await(two.write(4 * STRIPE, bytes(5, 6)));
    world.time.await(two.hflush());
    world.time.await(two.write(5 * STRIPE, bytes(7)));
    world.time.await(two.write(5 * STRIPE, bytes(8)));
    world.time.await(two.read(5 * STRIPE, ByteBuffer.allocate(1)));
    world.time.await(two.write(5 * STRIPE, bytes(9)));
    world.time.await(one.write(0, bytes(1, 2, 3, 4)));
    world.time.await(one.setLength(3));
    world.time.await(two.hsync());
    assertEquals(
        3, world.time.await(clients.get(0).client().fileSystem().attributes(FILE)).sizeBytes());
    world.time.await(two.setLength(6 * STRIPE));
    world.time.await(two.close());
    world.time.await(one.close());
    byte[] expected = new byte[(int) (6 * STRIPE)];
    System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 0, 3);
    assertArrayEquals(expected, read(clients.get(0).client().fileSystem(), expected.length));
  }

  private static ByteBuffer bytes(int... values) {
    ByteBuffer all = ByteBuffer.allocate(values.length);
    for (int value : values) {
      all.put((byte) value);
    }
    return all.flip();
  }

  /**
   * Two clients that gather for longer than a test lasts; the first owns stripe 3, the second
   * stripe 11.
   */
  private void beginGathering() {
    options = options.withGathering(UpdateOptions.MIN_GATHER_BYTES, 3_600_000);
    begin(4, 2, 0, 20 * STRIPE);
    WeftFile one = clients.get(0).file();
    WeftFile two = clients.get(1).file();
    world.time.await(one.write(0, ByteBuffer.allocate((int) (20 * STRIPE))));
    world.time.await(two.write(11 * STRIPE, ByteBuffer.allocate((int) STRIPE)));
    world.time.await(one.write(3 * STRIPE, ByteBuffer.allocate((int) STRIPE)));
  }

  @Test
  void gatheredBytesOfAStripeReachItsNextOwner() {
    beginGathering();
    WeftFile one = clients.get(0).file();
    WeftFile two = clients.get(1).file();
    world.time.await(one.write(3 * STRIPE, bytes(1, 2, 3, 4)));
    ByteBuffer target = ByteBuffer.allocate(4);
    assertEquals(4, world.time.await(two.read(3 * STRIPE, target)));
    assertArrayEquals(new byte[] {1, 2, 3, 4}, target.array());
    world.time.await(one.close());
    world.time.await(two.close());
  }

  @Test
  void gatheredBytesDoNotOverwriteALaterWriter() {
    beginGathering();
    WeftFile one = clients.get(0).file();
    WeftFile two = clients.get(1).file();
    world.time.await(one.write(3 * STRIPE, bytes(1, 2, 3, 4)));
    world.time.await(two.write(3 * STRIPE + 1, bytes(7, 8)));
    world.time.await(two.hflush());
    world.time.await(one.hflush());
    byte[] content = read(clients.get(1).client().fileSystem(), (int) (4 * STRIPE));
    int at = (int) (3 * STRIPE);
    assertArrayEquals(new byte[] {1, 7, 8, 4}, Arrays.copyOfRange(content, at, at + 4));
    world.time.await(one.close());
    world.time.await(two.close());
  }

  @Test
  void twoGatheringWritersThatSwapStripesDoNotDeadlock() {
    beginGathering();
    WeftFile one = clients.get(0).file();
    WeftFile two = clients.get(1).file();
    world.time.await(one.write(3 * STRIPE, bytes(1, 2, 3, 4)));
    world.time.await(two.write(11 * STRIPE, bytes(5, 6, 7, 8)));
    long deadlineNanos = world.time.nowNanos() + TimeUnit.SECONDS.toNanos(5);
    int stripe = (int) STRIPE;
    CompletableFuture<Void> first = one.write(11 * STRIPE, ByteBuffer.allocate(stripe));
    CompletableFuture<Void> second = two.write(3 * STRIPE, ByteBuffer.allocate(stripe));
    world.time.await(first);
    world.time.await(second);
    assertTrue(world.time.nowNanos() < deadlineNanos, "one client waited for the other's patience");
    world.time.await(one.close());
    world.time.await(two.close());
    byte[] content = read(clients.get(1).client().fileSystem(), 20 * stripe);
    assertArrayEquals(new byte[20 * stripe], content);
  }

  private byte[] read(WeftFileSystem files, int length) {
    WeftInput input = world.time.await(files.open(FILE));
    ByteBuffer target = ByteBuffer.allocate(length);
    world.time.await(input.read(0, target));
    input.close();
    return Arrays.copyOf(target.array(), target.position());
  }

  private void refused(ErrorCode expected, CompletableFuture<?> call) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> world.time.await(call));
    assertEquals(expected, WeftException.of(thrown).code(), thrown.getMessage());
  }
}
