package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Right bytes while no stripe has lost more than m units, an error that names them otherwise. */
class StripeReaderTest {
  /** Ways to lose a component. */
  private enum Loss {
    STOPPED,
    ABSENT,
    ROTTEN,
    MISSING,
    SILENT
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.seeds", 15));
  }

  static Stream<Arguments> shapesAndLosses() {
    List<Arguments> cases = new ArrayList<>();
    for (int k = 1; k <= 4; k++) {
      for (int m = 1; m <= 3; m++) {
        for (Loss loss : Loss.values()) {
          cases.add(Arguments.of(k, m, loss));
        }
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("shapesAndLosses")
  void everyLossThatTheCodeBearsIsReadAround(int k, int m, Loss loss) {
    for (int length : new int[] {5_000, (k + 1) * UNIT_BYTES + 100}) {
      for (int pattern = 1; pattern < 1 << (k + m); pattern++) {
        if (Integer.bitCount(pattern) <= m) {
          StripeWorld world = new StripeWorld(pattern * 31L + length, k + m + 1);
          StripedFile file = world.newFile(StripeWorld.layout(k, m));
          byte[] content = world.bytes(length);
          world.writeAll(file, content);
          StripedFile lessened = lose(world, file, loss, componentsOf(pattern));
          StripeReader reader = world.reader(lessened, length);
          assertArrayEquals(content, world.readAll(reader), "lost " + componentsOf(pattern));
          world.assertNothingLeaks();
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("shapesAndLosses")
  void oneLossTooManyFailsAndNamesTheOsds(int k, int m, Loss loss) {
    for (int length : new int[] {5_000, (2 * k + 1) * UNIT_BYTES + 100}) {
      StripeWorld world = new StripeWorld(k * 31L + length, k + m + 1);
      StripedFile file = world.newFile(StripeWorld.layout(k, m));
      world.writeAll(file, world.bytes(length));
      // The first m + 1 components hold d_0 and all parities of stripe 0, or all copies.
      List<Integer> lost = componentsOf((1 << (m + 1)) - 1);
      StripedFile lessened = lose(world, file, loss, lost);
      ByteBuffer target = ByteBuffer.allocate(length);
      WeftException failure = world.failureOf(world.reader(lessened, length).read(0, target));
      assertEquals(ErrorCode.TOO_MANY_LOST, failure.code(), failure.getMessage());
      for (int component : lost) {
        String name = "component " + component + " on OSD " + file.map().osdOf(component);
        assertTrue(failure.getMessage().contains(name), failure.getMessage());
      }
      assertEquals(0, target.position());
      world.assertNothingLeaks();
    }
  }

  private static StripedFile lose(
      StripeWorld world, StripedFile file, Loss loss, List<Integer> components) {
    for (int component : components) {
      FakeOsd osd = world.osdOf(file, component);
      boolean held = osd.objects().contains(file.name());
      switch (loss) {
        case STOPPED -> osd.stop();
        case ABSENT -> osd.loseObject(file.name());
        case SILENT -> osd.faults(opcode -> Fault.SILENCE);
        case ROTTEN -> {
          int length = held ? osd.bytes(file.name()).length : 0;
          for (int block = 0; block < length; block += 4096) {
            osd.flipBit(file.name(), block + world.random.nextInt(4096));
          }
        }
        case MISSING -> {}
      }
    }
    return loss == Loss.MISSING
        ? StripeWorld.missing(file, components.toArray(Integer[]::new))
        : file;
  }

  private static List<Integer> componentsOf(int pattern) {
    List<Integer> components = new ArrayList<>();
    for (int component = 0; pattern >> component != 0; component++) {
      if ((pattern >> component & 1) != 0) {
        components.add(component);
      }
    }
    return components;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anyRangeReadsRightUnderRandomFaults(long seed) {
    StripeWorld world = new StripeWorld(seed, 12);
    int k = 1 + world.random.nextInt(8);
    int m = 1 + world.random.nextInt(3);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(1 + world.random.nextInt(60 * UNIT_BYTES));
    world.writeAll(file, content);
    int lost = world.random.nextInt(k + m);
    Fault[] faults = {
      Fault.CUT_BEFORE,
      Fault.CUT_AFTER,
      Fault.BIT_FLIP,
      Fault.SILENCE,
      Fault.refuse(ErrorCode.BAD_MEDIA),
      Fault.refuse(ErrorCode.OVERLOADED)
    };
    world
        .osdOf(file, lost)
        .faults(
            opcode ->
                world.random.nextInt(3) == 0
                    ? Fault.NONE
                    : faults[world.random.nextInt(faults.length)]);
    StripeReader reader = world.reader(file, content.length);
    List<CompletableFuture<?>> reads = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      int from = world.random.nextInt(content.length);
      int length = 1 + world.random.nextInt(20 * UNIT_BYTES);
      reads.add(readAndCompare(reader, content, from, length, world.random.nextBoolean()));
    }
    reads.forEach(world.time::await);
    world.failures.forEach(failure -> assertEquals(lost, failure.componentIndex()));
    world.assertNothingLeaks();
  }

  private static CompletableFuture<?> readAndCompare(
      StripeReader reader, byte[] content, int from, int length, boolean direct) {
    ByteBuffer target =
        direct ? ByteBuffer.allocateDirect(length + 7) : ByteBuffer.allocate(length + 7);
    target.position(3).limit(3 + length);
    int expected = Math.min(length, content.length - from);
    return reader
        .read(from, target)
        .thenAccept(
            count -> {
              assertEquals(expected, count);
              assertEquals(3 + expected, target.position());
              byte[] bytes = new byte[expected];
              target.get(3, bytes);
              assertArrayEquals(Arrays.copyOfRange(content, from, from + expected), bytes);
              assertEquals(0, target.get(0));
            });
  }

  @Test
  void aReadAtTheEndReturnsNothing() {
    StripeWorld world = new StripeWorld(1, 6);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    world.writeAll(file, world.bytes(10_000));
    StripeReader reader = world.reader(file, 10_000);
    assertEquals(-1, world.time.await(reader.read(10_000, ByteBuffer.allocate(1))));
    assertEquals(-1, world.time.await(reader.read(1L << 60, ByteBuffer.allocate(1))));
    assertEquals(0, world.time.await(reader.read(10_000, ByteBuffer.allocate(0))));
    assertEquals(1, world.time.await(reader.read(9_999, ByteBuffer.allocate(100))));
    assertThrows(IllegalArgumentException.class, () -> reader.read(-1, ByteBuffer.allocate(1)));
    ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
    assertThrows(IllegalArgumentException.class, () -> reader.read(0, readOnly));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void unwrittenBytesReadAsZerosEvenIfDecoded(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(5 * UNIT_BYTES + 100);
    world.writeAll(file, content);
    // The manager has lengthened the file: nothing is stored behind the old end (P 4.3).
    int size = 15 * UNIT_BYTES + 5;
    byte[] expected = Arrays.copyOf(content, size);
    ByteBuffer target = ByteBuffer.allocate(size);
    Arrays.fill(target.array(), (byte) 0x55);
    world.osdOf(file, world.random.nextInt(6)).stop();
    assertEquals(size, world.time.await(world.reader(file, size).read(0, target)));
    assertArrayEquals(expected, target.array());
  }

  /** Counterexample 1: B holds the map of a small file, A makes it wide, component 0 goes away. */
  @Test
  void aGrownFilesParityIsNotReadAsACopy() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(4 * UNIT_BYTES);
    world.writeAll(file, content);
    world.osdOf(file, 0).stop();
    StripeReader stale = world.engine.read(file, 5_000, true, world.failures::add);
    world.osds.forEach(osd -> complete(osd, file));
    ByteBuffer target = ByteBuffer.allocate(5_000);
    assertEquals(5_000, world.time.await(stale.read(0, target)));
    assertArrayEquals(Arrays.copyOf(content, 5_000), target.array());
  }

  private static void complete(FakeOsd osd, StripedFile file) {
    if (osd.objects().contains(file.name())) {
      osd.complete(file.name(), StripeWorld.grantOf(file), Long.MAX_VALUE);
    }
  }

  /** One timeout is enough: an OSD that did not answer is gone around for a while. */
  @Test
  void aSilentOsdIsNotWaitedForAgain() {
    StripeWorld world = new StripeWorld(4, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(30 * UNIT_BYTES);
    world.writeAll(file, content);
    world.osdOf(file, 2).faults(opcode -> Fault.SILENCE);
    long timeoutNanos = StripeWorld.OPTIONS.readAttemptMillis() * 1_000_000L;
    long start = world.time.nowNanos();
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    assertTrue(world.time.nowNanos() - start >= timeoutNanos);
    start = world.time.nowNanos();
    for (int i = 0; i < 20; i++) {
      assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    }
    assertTrue(world.time.nowNanos() - start < timeoutNanos);
    assertEquals(1, world.failures.size());
  }

  @Test
  void anOsdThatComesBackIsReadAgain() {
    StripeWorld world = new StripeWorld(5, 4);
    StripedFile file = world.newFile(StripeWorld.layout(3, 0));
    byte[] content = world.bytes(9 * UNIT_BYTES);
    world.writeAll(file, content);
    FakeOsd osd = world.osdOf(file, 1);
    osd.stop();
    ByteBuffer target = ByteBuffer.allocate(content.length);
    CompletableFuture<Integer> read = world.reader(file, content.length).read(0, target);
    world.time.pass(2_000_000_000L);
    assertFalse(read.isDone());
    osd.restart();
    world.time.await(read);
    assertArrayEquals(content, target.array());
  }

  @Test
  void bitRotIsReportedWithItsComponent() {
    StripeWorld world = new StripeWorld(6, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(8 * UNIT_BYTES);
    world.writeAll(file, content);
    world.osdOf(file, 2).flipBit(file.name(), 100);
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    assertEquals(1, world.failures.size());
    ComponentFailure failure = world.failures.get(0);
    assertEquals(2, failure.componentIndex());
    assertEquals(file.map().osdOf(2), failure.osd());
    assertEquals(ErrorCode.BAD_CHECKSUM, failure.cause().code());
  }

  /** Without parity a damaged transfer is fetched again, a damaged medium is an error. */
  @Test
  void damageOnTheWayIsToldFromDamageOnTheMedium() {
    StripeWorld world = new StripeWorld(7, 4);
    StripedFile file = world.newFile(StripeWorld.layout(3, 0));
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    int[] flips = {1};
    world
        .osdOf(file, 1)
        .faults(opcode -> opcode == Opcode.READ && flips[0]-- > 0 ? Fault.BIT_FLIP : Fault.NONE);
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    world.osdOf(file, 1).flipBit(file.name(), 5_000);
    WeftException failure =
        world.failureOf(
            world.reader(file, content.length).read(0, ByteBuffer.allocate(content.length)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().contains("checksum"), failure.getMessage());
  }

  /** P 5.8: two OSDs that have returned serve again as soon as the manager has compared them. */
  @Test
  void aReadAwaitsQuarantinedOsdsIfOthersAreTooFew() {
    for (int length : new int[] {5_000, 9 * UNIT_BYTES + 100}) {
      StripeWorld world = new StripeWorld(10, 5);
      StripedFile file = world.newFile(StripeWorld.layout(4, 1));
      byte[] content = world.bytes(length);
      world.writeAll(file, content);
      long endNanos = world.time.nowNanos() + 3_000_000_000L;
      for (int component = 0; component < 2; component++) {
        world
            .osdOf(file, component)
            .faults(
                opcode ->
                    world.time.nowNanos() - endNanos < 0
                        ? Fault.refuse(ErrorCode.QUARANTINED)
                        : Fault.NONE);
      }
      assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
      assertTrue(world.time.nowNanos() - endNanos >= 0);
      world.assertNothingLeaks();
    }
  }

  @Test
  void aQuarantineThatDoesNotEndFailsTheReadAndIsNamed() {
    StripeWorld world = new StripeWorld(11, 5);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    world.writeAll(file, world.bytes(9 * UNIT_BYTES));
    for (int component = 0; component < 2; component++) {
      world.osdOf(file, component).faults(opcode -> Fault.refuse(ErrorCode.QUARANTINED));
    }
    WeftException failure =
        world.failureOf(world.reader(file, 9 * UNIT_BYTES).read(0, ByteBuffer.allocate(100)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().contains("2 components"), failure.getMessage());
  }

  /** The parity between the data units of a component is left out, and does not cut the request. */
  @Test
  void aReadOverManyStripesAsksEachComponentOnce() {
    StripeOptions wide = StripeWorld.OPTIONS.withReads(1 << 20, 1 << 20, 1);
    StripeWorld world = new StripeWorld(9, 5, wide);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(20 * UNIT_BYTES + 77);
    world.writeAll(file, content);
    int[] reads = new int[5];
    for (int component = 0; component < reads.length; component++) {
      int index = component;
      world
          .osdOf(file, component)
          .faults(
              opcode -> {
                reads[index] += opcode == Opcode.READ ? 1 : 0;
                return Fault.NONE;
              });
    }
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    assertArrayEquals(new int[] {1, 1, 1, 1, 1}, reads);
  }

  @Test
  void aReadUnderAnEndedGrantSaysSo() {
    StripeWorld world = new StripeWorld(8, 4);
    StripedFile file = world.newFile(StripeWorld.layout(2, 1));
    world.writeAll(file, world.bytes(6 * UNIT_BYTES));
    world.osds.forEach(osd -> osd.faults(opcode -> Fault.refuse(ErrorCode.FENCED)));
    WeftException failure =
        world.failureOf(world.reader(file, 100_000).read(0, ByteBuffer.allocate(10)));
    assertEquals(ErrorCode.FENCED, failure.code());
  }
}
