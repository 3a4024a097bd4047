package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.ParityReport;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** What a writer leaves on the OSDs (P 4.2, 4.3, 5.3), and what it does when they fail. */
class StripeWriterTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.seeds", 15));
  }

  static Stream<Arguments> shapesAndLengths() {
    List<Arguments> cases = new ArrayList<>();
    for (int k : new int[] {1, 2, 3, 5}) {
      for (int m = 0; m <= 3; m++) {
        int stripe = k * UNIT_BYTES;
        for (int length :
            new int[] {
              1,
              4096,
              UNIT_BYTES - 1,
              UNIT_BYTES,
              UNIT_BYTES + 1,
              stripe - 1,
              stripe,
              stripe + 1,
              3 * stripe,
              7 * stripe,
              7 * stripe + UNIT_BYTES + 5,
              40 * stripe - 1
            }) {
          cases.add(Arguments.of(k, m, length));
        }
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("shapesAndLengths")
  void writtenBytesAreReadWithRightParity(int k, int m, int length) {
    StripeWorld world = new StripeWorld(length * 31L + k * 7 + m, k + m + 1);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(length);
    WrittenFile written = world.writeAll(file, content);
    int stripes = (length + k * UNIT_BYTES - 1) / (k * UNIT_BYTES);
    assertEquals(length, written.sizeBytes());
    assertEquals(stripes, written.complete().seq());
    assertArrayEquals(content, world.readAll(world.reader(file, length)));
    ParityReport report = world.time.await(world.engine.parityOf(world.managed(file)).verify());
    assertEquals(length, report.eofBytes());
    assertEquals(0, report.wrongUnits());
    assertEquals(List.of(), world.failures);
    world.assertNothingLeaks();
  }

  @Test
  void aSmallFileIsItsFirstUnitOnComponentsUpToM() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(5, 2));
    byte[] content = world.bytes(UNIT_BYTES);
    world.writeAll(file, content);
    for (int component = 0; component < 7; component++) {
      FakeOsd osd = world.osdOf(file, component);
      assertEquals(component <= 2, osd.objects().contains(file.name()));
      if (component <= 2) {
        assertArrayEquals(content, osd.bytes(file.name()));
        assertEquals(UNIT_BYTES, osd.eof(file.name()));
      }
    }
  }

  @Test
  void anEmptyFileTouchesNoOsd() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(5, 2));
    assertEquals(new WrittenFile(0, CompletePoint.NONE), world.writeAll(file, new byte[0]));
    assertEquals(0, world.wire.connects());
    assertEquals(-1, world.time.await(world.reader(file, 0).read(0, ByteBuffer.allocate(1))));
  }

  /** P 4.2: the first write beyond unit 0 leaves no component absent, so that absent means lost. */
  @Test
  void aByteBehindTheFirstUnitCreatesAllComponents() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(5, 2));
    world.writeAll(file, world.bytes(UNIT_BYTES + 1));
    for (int component = 0; component < 7; component++) {
      FakeOsd osd = world.osdOf(file, component);
      assertTrue(osd.objects().contains(file.name()), "component " + component);
      assertEquals(UNIT_BYTES + 1, osd.eof(file.name()), "component " + component);
    }
  }

  @Test
  void laterGroupsAreMadeWholeWhenTheyAreEntered() {
    StripeWorld world = new StripeWorld(3, 12);
    Layout layout = new Layout(3, 1, UNIT_BYTES, 2, 3);
    StripedFile file = world.newFile(layout);
    byte[] content = world.bytes((int) (2 * layout.stripeBytes()) + 10);
    world.writeAll(file, content);
    for (int component = 0; component < layout.componentCount(); component++) {
      boolean made = world.osdOf(file, component).objects().contains(file.name());
      assertEquals(component < 8, made, "component " + component);
    }
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
  }

  @Test
  void groupsAreWrittenInTurn() {
    StripeWorld world = new StripeWorld(4, 20);
    Layout layout = new Layout(3, 2, UNIT_BYTES, 3, 4);
    StripedFile file = world.newFile(layout);
    byte[] content = world.bytes((int) (31 * layout.stripeBytes()) + 9_000);
    world.writeAll(file, content);
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    assertEquals(
        0, world.time.await(world.engine.parityOf(world.managed(file)).verify()).wrongUnits());
  }

  @Test
  void attributesAreStoredOnTheFirstComponentsOnly() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(5, 2));
    world.writeAll(file, world.bytes(20 * UNIT_BYTES));
    for (int component = 0; component < 7; component++) {
      boolean stored = world.osdOf(file, component).attributePage(file.name()).isPresent();
      assertEquals(component < StripeWorld.META_COPIES, stored, "component " + component);
    }
  }

  /** P 5.4: attribute components hear of completion when the manager closes the file. */
  @Test
  void componentsWithoutAttributesAreToldThatAllIsComplete() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(5, 2));
    WrittenFile written = world.writeAll(file, world.bytes(33 * UNIT_BYTES));
    world.time.pass(1_000_000_000L);
    for (int component = StripeWorld.META_COPIES; component < 7; component++) {
      FakeOsd osd = world.osdOf(file, component);
      assertEquals(
          written.complete().seq(), osd.completeUpTo(file.name(), StripeWorld.grantOf(file)));
      assertEquals(written.sizeBytes(), osd.eof(file.name()));
    }
  }

  /**
   * Components of later groups are none of the first that hold attributes, however few those are.
   */
  @Test
  void laterGroupsHoldNoAttributesAndHearOfCompletion() {
    StripeWorld world = new StripeWorld(1, 8);
    Layout layout = new Layout(1, 1, UNIT_BYTES, 2, 2);
    StripedFile file = world.newFile(layout);
    WrittenFile written = world.writeAll(file, world.bytes(7 * UNIT_BYTES));
    world.time.pass(1_000_000_000L);
    for (int component = 0; component < layout.componentCount(); component++) {
      FakeOsd osd = world.osdOf(file, component);
      boolean later = component >= layout.width();
      assertEquals(!later, osd.attributePage(file.name()).isPresent(), "component " + component);
      if (later) {
        assertEquals(
            written.complete().seq(), osd.completeUpTo(file.name(), StripeWorld.grantOf(file)));
      }
    }
  }

  @Test
  void componentsThatTheMapCallsMissingAreNotWritten() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = StripeWorld.missing(world.newFile(StripeWorld.layout(4, 2)), 1, 4);
    byte[] content = world.bytes(23 * UNIT_BYTES + 17);
    world.writeAll(file, content);
    assertFalse(world.osdOf(file, 1).objects().contains(file.name()));
    assertFalse(world.osdOf(file, 4).objects().contains(file.name()));
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
  }

  @Test
  void aMapThatMissesMoreThanTheCodeBearsIsNotWritten() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = StripeWorld.missing(world.newFile(StripeWorld.layout(4, 1)), 1, 4);
    StripeWriter writer = world.writer(file);
    WeftException failure = world.failureOf(writer.write(ByteBuffer.allocate(10)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertSame(failure, world.failureOf(writer.close()));
    world.assertNothingLeaks();
  }

  /**
   * P 5.4: connections end before and after a WRITE is carried out; its ids make retries harmless.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void lostConnectionsAndRefusalsAreRiddenOut(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    Fault[] faults = {
      Fault.CUT_BEFORE,
      Fault.CUT_AFTER,
      Fault.BIT_FLIP,
      Fault.SILENCE,
      Fault.refuse(ErrorCode.BUSY),
      Fault.refuse(ErrorCode.OVERLOADED)
    };
    int[] left = {25};
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode ->
              opcode == Opcode.WRITE && left[0] > 0 && world.random.nextInt(4) == 0
                  ? faults[left[0]-- % faults.length]
                  : Fault.NONE);
    }
    StripedFile file = world.newFile(StripeWorld.layout(1 + world.random.nextInt(5), 2));
    byte[] content = world.bytes(world.random.nextInt(80 * UNIT_BYTES));
    world.writeAll(file, content);
    world.endFaults();
    if (content.length > 0) {
      assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    }
    assertEquals(
        0, world.time.await(world.engine.parityOf(world.managed(file)).verify()).wrongUnits());
    world.assertNothingLeaks();
  }

  @Test
  void aRepeatedWriteIsExecutedOnce() {
    StripeWorld world = new StripeWorld(5, 4);
    StripedFile file = world.newFile(StripeWorld.layout(1, 0));
    FakeOsd osd = world.osdOf(file, 0);
    int[] cuts = {3};
    osd.faults(opcode -> cuts[0]-- > 0 ? Fault.CUT_AFTER : Fault.NONE);
    world.writeAll(file, world.bytes(100));
    assertEquals(1, osd.executedWrites());
  }

  @Test
  void anOsdThatRestartsDelaysTheFileOnly() {
    StripeWorld world = new StripeWorld(6, 7);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(200 * UNIT_BYTES);
    CompletableFuture<WrittenFile> written = world.write(world.writer(file), content);
    world.time.pass(2_000_000);
    assertFalse(written.isDone());
    FakeOsd osd = world.osdOf(file, 3);
    osd.stop();
    world.time.pass(3_000_000_000L);
    assertFalse(written.isDone());
    osd.restart();
    world.time.await(written);
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    world.assertNothingLeaks();
  }

  @Test
  void anOsdThatStaysAwayFailsTheFileByItsName() {
    StripeWorld world = new StripeWorld(7, 7);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.osdOf(file, 2).stop();
    StripeWriter writer = world.writer(file);
    WeftException failure = world.failureOf(world.write(writer, world.bytes(200 * UNIT_BYTES)));
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    String name = "component 2 on OSD " + file.map().osdOf(2);
    assertTrue(failure.getMessage().contains(name), failure.getMessage());
    assertTrue(failure.getMessage().contains("write it again"), failure.getMessage());
    assertSame(failure, world.failureOf(writer.write(ByteBuffer.allocate(1))));
    assertSame(failure, world.failureOf(writer.close()));
    assertEquals(2, world.failures.get(0).componentIndex());
    world.assertNothingLeaks();
  }

  @Test
  void aRefusalThatWillNotPassIsNotRepeated() {
    StripeWorld world = new StripeWorld(8, 7);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    int[] asked = {0};
    world
        .osdOf(file, 5)
        .faults(
            opcode -> {
              asked[0]++;
              return Fault.refuse(ErrorCode.NO_SPACE);
            });
    WeftException failure =
        world.failureOf(world.write(world.writer(file), world.bytes(4 * UNIT_BYTES)));
    assertEquals(ErrorCode.NO_SPACE, failure.code());
    assertEquals(1, asked[0]);
    world.assertNothingLeaks();
  }

  /** The transport lets go of what was given up before it left. */
  @Test
  void theTransportFreesMemoryOfAbandonedWrites() {
    StripeWorld world = new StripeWorld(10, 7);
    world.writeAll(world.newFile(StripeWorld.layout(4, 2)), world.bytes(40 * UNIT_BYTES));
    world.wire.congested(true);
    StripedFile stuck = world.newFile(StripeWorld.layout(4, 2));
    WeftException failure =
        world.failureOf(world.write(world.writer(stuck), world.bytes(8 * UNIT_BYTES)));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure.code());
    world.time.pass(60_000_000_000L);
    world.wire.congested(false);
    world.assertNothingLeaks();
  }

  /** DESIGN 7, rule 7: past the window the caller waits. */
  @Test
  void theWindowBoundsWhatIsInFlight() {
    StripeWorld world = new StripeWorld(9, 7);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.osdOf(file, 1).faults(opcode -> Fault.hold(gate));
    long[] most = {0};
    world.time.checkAfterEachStep(
        () -> most[0] = Math.max(most[0], world.context.pool().reservedBytes()));
    byte[] content = world.bytes(150 * UNIT_BYTES);
    StripeWriter writer = world.writer(file);
    CompletableFuture<WrittenFile> written = world.write(writer, content);
    world.time.pass(500_000_000L);
    assertFalse(written.isDone());
    assertTrue(writer.positionBytes() < content.length);
    assertTrue(most[0] <= StripeWorld.OPTIONS.windowBytes(), most[0] + " bytes were held");
    gate.complete(null);
    world.time.await(written);
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
  }

  /**
   * However little memory the pool has, and whichever writers hold it idle: every writer gets on.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void writersDoNotWaitForEachOthersMemory(long seed) {
    long poolBytes = 10 * UNIT_BYTES;
    StripeWorld world =
        new StripeWorld(seed, 7, StripeWorld.OPTIONS.withMemory(256 << 10, 16 << 10, poolBytes));
    List<StripeWriter> idle = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      StripeWriter writer = world.writer(world.newFile(StripeWorld.layout(3, 1)));
      world.time.await(writer.write(ByteBuffer.wrap(world.bytes(2 * UNIT_BYTES))));
      idle.add(writer);
    }
    List<CompletableFuture<WrittenFile>> busy = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      StripedFile file = world.newFile(StripeWorld.layout(3, 1));
      busy.add(world.write(world.writer(file), world.bytes(60 * UNIT_BYTES)));
    }
    busy.forEach(world.time::await);
    idle.forEach(writer -> world.time.await(writer.close()));
    world.assertNothingLeaks();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anAbandonedFileGivesItsMemoryBack(long seed) {
    StripeWorld world = new StripeWorld(seed, 7);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    StripeWriter writer = world.writer(file);
    CompletableFuture<WrittenFile> written = world.write(writer, world.bytes(100 * UNIT_BYTES));
    world.time.pass(world.random.nextInt(20_000_000));
    boolean wasDone = written.isDone();
    writer.abandon();
    if (!wasDone) {
      assertEquals(ErrorCode.CANCELLED, world.failureOf(written).code());
    }
    world.assertNothingLeaks();
  }

  @Test
  void aSecondCallMustWaitForTheFirst() {
    StripeWorld world = new StripeWorld(9, 7);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.osds.forEach(osd -> osd.faults(opcode -> Fault.hold(gate)));
    StripeWriter writer = world.writer(file);
    CompletableFuture<Void> first = writer.write(ByteBuffer.allocate(1 << 20));
    assertFalse(first.isDone());
    assertThrows(IllegalStateException.class, () -> writer.write(ByteBuffer.allocate(1)));
    assertThrows(IllegalStateException.class, writer::close);
    gate.complete(null);
    world.time.await(first);
    world.time.await(writer.close());
    assertThrows(IllegalStateException.class, () -> writer.write(ByteBuffer.allocate(1)));
    assertEquals(1 << 20, world.time.await(writer.close()).sizeBytes());
  }
}
