package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.hedge.HedgeCounts;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** A unit that is late is rebuilt from the others instead of waited for (DESIGN 5). */
class HedgedReadTest {
  private static final HedgeLimits HEDGES = new HedgeLimits(true, 10, 100, 10);
  private static final StripeOptions OPTIONS = StripeWorld.OPTIONS.withHedges(HEDGES);

  private final CompletableFuture<Void> gate = new CompletableFuture<>();

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 60);
  }

  /** Reads of that OSD are answered when the gate opens. */
  private void holdReads(FakeOsd osd) {
    osd.faults(opcode -> opcode == Opcode.READ ? Fault.hold(gate) : Fault.NONE);
  }

  private static long millis(StripeWorld world, long sinceNanos) {
    return TimeUnit.NANOSECONDS.toMillis(world.time.nowNanos() - sinceNanos);
  }

  @Test
  void aLateUnitIsRebuiltAndItsAnswerThrownAway() {
    StripeWorld world = new StripeWorld(1, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(11 * UNIT_BYTES + 77);
    world.writeAll(file, content);
    holdReads(world.osdOf(file, 2));
    long start = world.time.nowNanos();
    ByteBuffer target = ByteBuffer.allocate(content.length);
    assertEquals(
        content.length, world.time.await(world.reader(file, content.length).read(0, target)));
    assertTrue(millis(world, start) < 2 * HEDGES.mostMillis(), millis(world, start) + " ms");
    assertArrayEquals(content, target.array());
    assertTrue(world.engine.hedgeCounts().won() > 0, world.engine.hedgeCounts().toString());
    // The buffer is the caller's: nothing that comes late goes there.
    Arrays.fill(target.array(), (byte) 0);
    gate.complete(null);
    world.time.pass(1_000_000_000L);
    assertArrayEquals(new byte[content.length], target.array());
    assertEquals(List.of(), world.failures, "to be late is no failure");
    world.assertNothingLeaks();
  }

  @Test
  void aLateReplyThatComesFirstIsTaken() {
    StripeWorld world = new StripeWorld(2, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    byte[] content = world.bytes(3 * UNIT_BYTES);
    world.writeAll(file, content);
    holdReads(world.osdOf(file, file.map().layout().dataComponent(0, 1)));
    CompletableFuture<Void> never = new CompletableFuture<>();
    world
        .osdOf(file, file.map().layout().parityComponent(0, 0))
        .faults(opcode -> opcode == Opcode.READ ? Fault.hold(never) : Fault.NONE);
    ByteBuffer target = ByteBuffer.allocate(content.length);
    CompletableFuture<Integer> read = world.reader(file, content.length).read(0, target);
    world.time.pass(TimeUnit.MILLISECONDS.toNanos(3L * HEDGES.mostMillis()));
    assertEquals(new HedgeCounts(1, 0, 0), world.engine.hedgeCounts());
    gate.complete(null);
    assertEquals(content.length, world.time.await(read));
    assertArrayEquals(content, target.array());
    assertEquals(new HedgeCounts(1, 0, 0), world.engine.hedgeCounts());
    never.complete(null);
    world.assertNothingLeaks();
  }

  @Test
  void anotherCopyOfASmallFileIsRead() {
    StripeWorld world = new StripeWorld(3, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(5_000);
    world.writeAll(file, content);
    holdReads(world.osdOf(file, 0));
    long start = world.time.nowNanos();
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    assertTrue(millis(world, start) < 2 * HEDGES.mostMillis(), millis(world, start) + " ms");
    gate.complete(null);
    world.assertNothingLeaks();
  }

  /** A late OSD may have been written around and not know it yet (P 5.8). */
  @Test
  void aNewerGrantEndsTheWaitForALateAnswer() {
    StripeWorld world = new StripeWorld(9, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    byte[] content = world.bytes(3 * UNIT_BYTES);
    world.writeAll(file, content);
    FakeOsd late = world.osdOf(file, file.map().layout().dataComponent(0, 0));
    long newer = world.nextGrant();
    world.osds.stream()
        .filter(osd -> osd != late)
        .forEach(osd -> osd.raiseVersion(file.name(), newer));
    holdReads(late);
    ByteBuffer target = ByteBuffer.allocate(UNIT_BYTES);
    CompletableFuture<Integer> read = world.reader(file, content.length).read(0, target);
    world.time.pass(TimeUnit.MILLISECONDS.toNanos(3L * HEDGES.mostMillis()));
    gate.complete(null);
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> world.time.await(read));
    assertEquals(ErrorCode.FENCED, WeftException.of(thrown).code());
    world.assertNothingLeaks();
  }

  @Test
  void noHedgeDecodesMoreLossesThanTheCodeBears() {
    StripeWorld world = new StripeWorld(4, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    holdReads(world.osdOf(file, 0));
    holdReads(world.osdOf(file, 2));
    ByteBuffer target = ByteBuffer.allocate(content.length);
    CompletableFuture<Integer> read = world.reader(file, content.length).read(0, target);
    world.time.pass(TimeUnit.MILLISECONDS.toNanos(3L * HEDGES.mostMillis()));
    assertEquals(0, world.engine.hedgeCounts().begun());
    gate.complete(null);
    world.time.await(read);
    assertArrayEquals(content, target.array());
    world.assertNothingLeaks();
  }

  /**
   * Whatever is late by whatever time, what is read is right, and nothing is written afterwards.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void anyRangeReadsRightWhicheverOsdIsLate(long seed) {
    StripeOptions options = StripeWorld.OPTIONS.withHedges(new HedgeLimits(true, 1, 3, 100));
    StripeWorld world = new StripeWorld(seed, 9, options);
    int k = 1 + world.random.nextInt(5);
    int m = 1 + world.random.nextInt(3);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(1 + world.random.nextInt(30 * UNIT_BYTES));
    world.writeAll(file, content);
    if (world.random.nextInt(3) == 0) {
      world.osdOf(file, world.random.nextInt(k + m)).stop();
    }
    world.osds.forEach(osd -> osd.faults(opcode -> sometimesLate(world, opcode)));
    StripeReader reader =
        world.engine.read(file, content.length, world.random.nextBoolean(), world.failures::add);
    complete(world, file);
    List<CompletableFuture<Integer>> reads = new ArrayList<>();
    List<ByteBuffer> targets = new ArrayList<>();
    List<Integer> starts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int from = world.random.nextInt(content.length);
      starts.add(from);
      targets.add(ByteBuffer.allocate(1 + world.random.nextInt(12 * UNIT_BYTES)));
      reads.add(reader.read(from, targets.get(i)));
      world.time.pass(world.random.nextInt(3_000_000));
    }
    reads.forEach(world.time::await);
    world.assertNothingLeaks();
    for (int i = 0; i < reads.size(); i++) {
      int from = starts.get(i);
      int count = Math.min(targets.get(i).capacity(), content.length - from);
      assertArrayEquals(
          Arrays.copyOfRange(content, from, from + count),
          Arrays.copyOf(targets.get(i).array(), count));
    }
  }

  /** What a stream keeps in its payloads is what others are decoded with. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aStreamReadsRightWhicheverOsdIsLate(long seed) {
    StripeOptions options = StripeWorld.OPTIONS.withHedges(new HedgeLimits(true, 1, 3, 100));
    StripeWorld world = new StripeWorld(seed, 9, options);
    int k = 2 + world.random.nextInt(4);
    StripedFile file = world.newFile(StripeWorld.layout(k, 1 + world.random.nextInt(3)));
    byte[] content = world.bytes(20 * UNIT_BYTES + world.random.nextInt(60 * UNIT_BYTES));
    world.writeAll(file, content);
    complete(world, file);
    world.osds.forEach(osd -> osd.faults(opcode -> sometimesLate(world, opcode)));
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      byte[] all =
          world.readAll(stream, () -> 1 + world.random.nextInt(5 * UNIT_BYTES), read -> {});
      assertArrayEquals(content, all);
    }
    world.endFaults();
    world.assertNothingLeaks();
  }

  private static Fault sometimesLate(StripeWorld world, Opcode opcode) {
    boolean mayBe = opcode == Opcode.READ || opcode == Opcode.GET_STAMP;
    if (!mayBe || world.random.nextInt(4) > 0) {
      return Fault.NONE;
    }
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.time.after(world.random.nextInt(12_000_000), () -> gate.complete(null));
    return Fault.hold(gate);
  }

  /** What was written is known to be complete: else a decode beside a writer waits. */
  private static void complete(StripeWorld world, StripedFile file) {
    for (FakeOsd osd : world.osds) {
      if (osd.objects().contains(file.name())) {
        osd.complete(file.name(), StripeWorld.grantOf(file), Long.MAX_VALUE);
      }
    }
  }

  /** All OSDs are slow: the little that is asked for twice is within the budget. */
  @Test
  void aSlowClusterIsNotAskedForEverythingTwice() {
    StripeWorld world = new StripeWorld(5, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(40 * UNIT_BYTES);
    world.writeAll(file, content);
    int[] asked = {0};
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode -> {
            asked[0] += opcode == Opcode.READ ? 1 : 0;
            return opcode == Opcode.READ ? slow(world, 300) : Fault.NONE;
          });
    }
    StripeReader reader = world.reader(file, content.length);
    int reads = 3_000;
    for (int i = 0; i < reads; i++) {
      int from = world.random.nextInt(content.length - 4_096);
      ByteBuffer target = ByteBuffer.allocate(Math.min(4_096, UNIT_BYTES - from % UNIT_BYTES));
      world.time.await(reader.read(from, target));
    }
    // At first a budget of 4 MiB: some 250 requests.
    assertTrue(asked[0] <= reads * 115 / 100 + 260, asked[0] + " requests for " + reads + " reads");
    world.assertNothingLeaks();
  }

  private static Fault slow(StripeWorld world, int millis) {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.time.after(TimeUnit.MILLISECONDS.toNanos(millis), () -> gate.complete(null));
    return Fault.hold(gate);
  }

  /**
   * An OSD that is late three times in a row is not asked for a second where others hold as much.
   */
  @Test
  void readsGoAroundARepeatedlyLateOsd() {
    StripeWorld world = new StripeWorld(6, 6, OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(4 * UNIT_BYTES);
    world.writeAll(file, content);
    int[] asked = {0};
    world
        .osdOf(file, file.map().layout().dataComponent(0, 1))
        .faults(
            opcode -> {
              asked[0] += opcode == Opcode.READ ? 1 : 0;
              return opcode == Opcode.READ ? slow(world, 800) : Fault.NONE;
            });
    StripeReader reader = world.reader(file, content.length);
    for (int i = 0; i < 3; i++) {
      assertArrayEquals(content, world.readAll(reader));
    }
    assertEquals(3, asked[0]);
    long start = world.time.nowNanos();
    for (int i = 0; i < 50; i++) {
      assertArrayEquals(content, world.readAll(reader));
    }
    assertEquals(3, asked[0]);
    assertTrue(millis(world, start) < 900, millis(world, start) + " ms");
    world.time.pass(TimeUnit.SECONDS.toNanos(2));
    assertArrayEquals(content, world.readAll(reader));
    assertEquals(4, asked[0], "it gets another chance");
    world.assertNothingLeaks();
  }
}
