package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.osd.OsdTarget;
import org.weft.client.stripe.FlushedFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Writers that lose OSDs and go on without them (P 5.8). */
class LostOsdTest {
  private static final Set<Opcode> WRITES =
      EnumSet.of(Opcode.WRITE, Opcode.XOR_READ_WRITE, Opcode.XOR_WRITE);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("weft.seeds", 20));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aLostOsdCostsNoTakenBytes(long seed) {
    StripeWorld world = new StripeWorld(seed, 36);
    Layout drawn = FlushedFile.layout(world.random);
    Layout layout =
        new Layout(
            drawn.dataUnits(),
            Math.max(1, drawn.parityUnits()),
            drawn.unitBytes(),
            drawn.groupDepth(),
            drawn.groups());
    FlushedFile file = new FlushedFile(world, layout);
    if (seed % 2 == 0) {
      loseMessages(world);
    }
    SortedSet<Integer> lost = file.unreachable;
    for (int step = 0; step < 25; step++) {
      if (world.random.nextInt(5) == 0) {
        loseOne(file, lost);
      }
      if (world.random.nextInt(3) > 0) {
        world.time.await(file.write());
      } else if (world.random.nextInt(5) == 0) {
        file.reopen();
      } else {
        world.time.await(file.flush(world.random.nextBoolean()));
        file.assertReadable(true);
      }
    }
    file.close();
    file.assertReadable(false);
    world.endFaults();
    file.assertNothingWaits();
  }

  private static void loseMessages(StripeWorld world) {
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode ->
              !WRITES.contains(opcode)
                  ? Fault.NONE
                  : switch (world.random.nextInt(20)) {
                    case 0 -> Fault.CUT_BEFORE;
                    case 1 -> Fault.CUT_AFTER;
                    case 2 -> Fault.refuse(ErrorCode.BUSY);
                    default -> Fault.NONE;
                  });
    }
  }

  /** In the midst of whatever is under way, and given up some time after. */
  private static void loseOne(FlushedFile file, SortedSet<Integer> lost) {
    StripeWorld world = file.world;
    int component = world.random.nextInt(file.layout.componentCount());
    int first = component / file.layout.width() * file.layout.width();
    if (lost.contains(component)
        || lost.subSet(first, first + file.layout.width()).size() == file.layout.parityUnits()) {
      return;
    }
    lost.add(component);
    FakeOsd osd = world.osd(file.map().osdOf(component));
    world.time.after(world.random.nextInt(3_000_000), osd::stop);
    // By the manager that the file has by then.
    world.time.after(
        500_000_000L + world.random.nextInt(2_000_000_000), () -> giveUpFor(file, osd));
  }

  private static void giveUpFor(FlushedFile file, FakeOsd osd) {
    file.manager.giveUp(osd.id());
    file.world.time.after(300_000_000L, () -> giveUpAgain(file, osd, 200));
  }

  private static void giveUpAgain(FlushedFile file, FakeOsd osd, int left) {
    if (left > 0) {
      file.manager.giveUp(osd.id());
      file.world.time.after(300_000_000L, () -> giveUpAgain(file, osd, left - 1));
    }
  }

  @Test
  void aCloseWaitsForTheManagersWord() {
    StripeWorld world = new StripeWorld(1, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    byte[] content = world.bytes(20 * FlushedFile.UNIT_BYTES + 7);
    world.osd(file.map().osdOf(3)).stop();
    world.time.await(file.writer.write(ByteBuffer.wrap(content)));
    CompletableFuture<WrittenFile> closed = file.writer.close();
    world.time.pass(4_000_000_000L);
    assertFalse(closed.isDone());
    assertTrue(file.manager.asked() > 1, "asks again");
    assertEquals(1, world.failures.size(), "reported once");
    assertEquals(3, world.failures.get(0).componentIndex());
    file.manager.giveUp(file.map().osdOf(3));
    assertEquals(content.length, world.time.await(closed).sizeBytes());
    assertTrue(file.map().isMissing(3));
    StripeReader reader =
        world.engine.read(
            world.readable(file.name, file.map(), new TreeSet<>()),
            content.length,
            false,
            failure -> {});
    assertArrayEquals(content, world.readAll(reader));
    world.assertNothingLeaks();
  }

  /** The OSD was only slow to come back: no OSD is given up, and nothing is asked any more. */
  @Test
  void anOsdThatComesBackInTimeIsKept() {
    StripeWorld world = new StripeWorld(2, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    FakeOsd osd = world.osd(file.map().osdOf(0));
    osd.stop();
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(30_000))));
    CompletableFuture<WrittenFile> flushed = file.writer.flush(false);
    world.time.pass(3_000_000_000L);
    osd.restart();
    world.time.await(flushed);
    int asked = file.manager.asked();
    world.time.pass(10_000_000_000L);
    assertEquals(asked, file.manager.asked());
    assertTrue(file.map().missing().isEmpty());
  }

  @Test
  void anOsdThatIsNotGivenUpEndsTheWritingInTime() {
    StripeWorld world = new StripeWorld(3, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    world.osd(file.map().osdOf(0)).stop();
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(30_000))));
    WeftException failure = world.failureOf(file.writer.flush(false));
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("component 0 on OSD"), failure.getMessage());
    world.assertNothingLeaks();
  }

  @Test
  void losingMoreThanTheParityBearsEndsTheWriting() {
    StripeWorld world = new StripeWorld(4, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 1));
    for (int component = 2; component < 4; component++) {
      world.osd(file.map().osdOf(component)).stop();
      file.manager.giveUp(file.map().osdOf(component));
    }
    CompletableFuture<Void> taken =
        file.writer.write(ByteBuffer.wrap(world.bytes(30 * FlushedFile.UNIT_BYTES)));
    WeftException failure = world.failureOf(taken.thenCompose(nothing -> file.writer.flush(false)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    world.assertNothingLeaks();
  }

  /** P 5.8: the second OSD is back, and compared, before the writer's patience ends. */
  @Test
  void aWriterAwaitsAnOsdThatParityCannotSpare() {
    StripeWorld world = new StripeWorld(14, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 1));
    FakeOsd lost = world.osd(file.map().osdOf(2));
    lost.stop();
    file.manager.giveUp(file.map().osdOf(2));
    FakeOsd restarted = world.osd(file.map().osdOf(3));
    restarted.stop();
    file.manager.giveUp(file.map().osdOf(3));
    CompletableFuture<Void> taken =
        file.writer.write(ByteBuffer.wrap(world.bytes(30 * FlushedFile.UNIT_BYTES)));
    CompletableFuture<WrittenFile> flushed = taken.thenCompose(nothing -> file.writer.flush(false));
    world.time.pass(6_000_000_000L);
    assertFalse(flushed.isDone());
    restarted.faults(opcode -> Fault.refuse(ErrorCode.QUARANTINED));
    restarted.restart();
    world.time.pass(3_000_000_000L);
    assertFalse(flushed.isDone());
    restarted.faults(opcode -> Fault.NONE);
    file.manager.isBack(file.map().osdOf(3));
    world.time.await(flushed);
    assertEquals(Set.of(2), Set.copyOf(file.map().missing()));
  }

  /** A full OSD is no lost one: what helps is room, not another grant. */
  @Test
  void aFullOsdIsNamedAndNotGivenUp() {
    StripeWorld world = new StripeWorld(5, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    world.osd(file.map().osdOf(2)).faults(opcode -> Fault.refuse(ErrorCode.NO_SPACE));
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(30_000))));
    WeftException failure = world.failureOf(file.writer.flush(false));
    assertEquals(ErrorCode.NO_SPACE, failure.code());
    assertTrue(failure.getMessage().contains("OSD " + file.map().osdOf(2)));
    assertEquals(0, file.manager.asked());
  }

  /** P 5.8: an OSD that says itself that it is of no use is given up without waiting. */
  @Test
  void anOsdInQuarantineIsLeftOutAtOnce() {
    StripeWorld world = new StripeWorld(6, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    world.osd(file.map().osdOf(1)).faults(opcode -> Fault.refuse(ErrorCode.QUARANTINED));
    file.manager.giveUp(file.map().osdOf(1));
    long before = world.time.nowNanos();
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(30_000))));
    world.time.await(file.writer.flush(false));
    assertTrue(world.time.nowNanos() - before < 400_000_000L);
    assertTrue(file.map().isMissing(1));
  }

  /** P 5.8: the old grant is shut out everywhere, so that nothing of it counts as pending. */
  @Test
  void theOldGrantIsShutOutOnEveryComponent() {
    StripeWorld world = new StripeWorld(7, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    WriteTerms old = file.manager.terms();
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(12 * FlushedFile.UNIT_BYTES))));
    world.time.await(file.writer.flush(false));
    world.osd(file.map().osdOf(5)).stop();
    file.manager.giveUp(file.map().osdOf(5));
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(10))));
    world.time.await(file.writer.flush(false));
    world.time.pass(1_000_000_000L);
    List<Integer> open = new ArrayList<>();
    for (int component = 0; component < 5; component++) {
      OsdTarget target = old.file().target(component, 1_000);
      CompletableFuture<?> late =
          world.context.osds().write(target, WriteOrder.request(old, 0), Payload.EMPTY);
      world.time.runUntil("an answer", late::isDone);
      if (!late.isCompletedExceptionally()) {
        open.add(component);
      }
    }
    assertEquals(List.of(), open);
  }
}
