package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;
import static org.weft.client.stripe.StripeWriterTest.failureOf;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.testkit.osd.FakeOsd;

/**
 * After a scrub every parity belongs to its data, and nothing that was acknowledged has changed.
 */
class ParityScrubberTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 80);
  }

  private static ScrubReport verify(StripeWorld world, StripedFile file) {
    return world.time.await(world.engine.scrub(world.managed(file)).verify());
  }

  private static ScrubReport repair(StripeWorld world, StripedFile file) {
    StripedFile managed = world.fenced(file);
    long grant = StripeWorld.grantOf(managed);
    return world.time.await(world.engine.scrub(managed).repair(grant));
  }

  /**
   * A client is killed in the middle of a file: whatever had left it arrives or not, in any
   * mixture.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void aTornFileIsMadeConsistent(long seed) {
    StripeWorld world = new StripeWorld(seed, 16);
    int k = 1 + world.random.nextInt(5);
    int m = 1 + world.random.nextInt(3);
    Layout layout = new Layout(k, m, UNIT_BYTES, 5, 1 + world.random.nextInt(2));
    StripedFile file = world.newFile(layout);
    byte[] content = world.bytes(world.random.nextInt(10) == 0 ? 3_000 : 60 * UNIT_BYTES);
    StripeWriter writer = world.writer(file);
    CompletableFuture<WrittenFile> written = world.write(writer, content);
    world.time.pass(300_000 + world.random.nextInt(4_000_000));
    boolean acknowledged = written.isDone();
    world.osds.forEach(FakeOsd::stop);
    writer.abandon();
    world.time.pass(20_000_000_000L);
    world.osds.forEach(FakeOsd::restart);

    ScrubReport repaired = repair(world, file);
    ScrubReport verified = verify(world, file);
    assertEquals(0, verified.wrongUnits());
    assertEquals(repaired.eofBytes(), verified.eofBytes());
    long eof = repaired.eofBytes();
    assertTrue(eof <= content.length);
    if (acknowledged) {
      assertEquals(content.length, eof);
      assertEquals(0, repaired.wrongUnits());
      assertArrayEquals(
          content, world.readAll(world.reader(world.readable(file.name(), file.map()), eof)));
    }
    assertAllDecodesAgree(world, file, eof);
    world.assertNothingLeaks();
  }

  private static void assertAllDecodesAgree(StripeWorld world, StripedFile file, long eof) {
    byte[] whole = world.readAll(world.reader(world.readable(file.name(), file.map()), eof));
    for (int round = 0; round < 4; round++) {
      Integer[] lost =
          world
              .random
              .ints(0, file.map().layout().width())
              .distinct()
              .limit(file.map().layout().parityUnits())
              .boxed()
              .toArray(Integer[]::new);
      StripedFile lessened = StripeWorld.missing(world.readable(file.name(), file.map()), lost);
      assertArrayEquals(
          whole, world.readAll(world.reader(lessened, eof)), "lost " + Arrays.toString(lost));
    }
  }

  @Test
  void wrongParityIsFoundAndRewritten() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    byte[] content = world.bytes(20 * UNIT_BYTES + 5);
    world.writeAll(file, content);
    assertEquals(new ScrubReport(content.length, 7, 0, 0, 0), verify(world, file));
    // In stripe 0 components 1 and 2 hold P_0 and P_1; in stripe 1 component 2 holds P_0.
    world.osdOf(file, 1).overwrite(file.name(), 0, world.bytes(4096));
    world.osdOf(file, 2).overwrite(file.name(), 3, world.bytes(4096));
    assertEquals(2, verify(world, file).wrongUnits());
    assertEquals(new ScrubReport(content.length, 7, 2, 2, 0), repair(world, file));
    assertEquals(0, verify(world, file).wrongUnits());
    assertArrayEquals(
        content,
        world.readAll(world.reader(world.readable(file.name(), file.map()), content.length)));
  }

  @Test
  void rottenParityIsRewrittenToo() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    world.osdOf(file, 1).flipBit(file.name(), 77);
    assertEquals(1, repair(world, file).rewrittenUnits());
    assertEquals(0, verify(world, file).wrongUnits());
  }

  @Test
  void copiesOfASmallFileAreMadeAlike() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(5_000);
    world.writeAll(file, content);
    world.osdOf(file, 0).loseObject(file.name());
    world.osdOf(file, 2).overwrite(file.name(), 1, world.bytes(4096));
    assertEquals(2, verify(world, file).wrongUnits());
    assertEquals(new ScrubReport(5_000, 1, 2, 2, 1), repair(world, file));
    assertEquals(0, verify(world, file).wrongUnits());
    world.osdOf(file, 1).stop();
    world.osdOf(file, 2).stop();
    assertArrayEquals(
        content, world.readAll(world.reader(world.readable(file.name(), file.map()), 5_000)));
  }

  /** The manager has flushed attributes to a component that the data never reached. */
  @Test
  void theCopyThatKnowsOfTheLongestFileWins() {
    StripeWorld world = new StripeWorld(8, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(5_000);
    world.writeAll(file, content);
    world.osdOf(file, 0).loseObject(file.name());
    SetAttributesRequest.Builder attributesAlone =
        SetAttributesRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setCreate(file.map().tag(0));
    world.time.await(
        world.engine.osds().setAttributes(world.managed(file).target(0, 1_000), attributesAlone));
    assertEquals(new ScrubReport(5_000, 1, 1, 1, 0), repair(world, file));
    world.osdOf(file, 1).stop();
    world.osdOf(file, 2).stop();
    assertArrayEquals(
        content, world.readAll(world.reader(world.readable(file.name(), file.map()), 5_000)));
  }

  @Test
  void aFileOfWhichNothingArrivedIsEmpty() {
    StripeWorld world = new StripeWorld(4, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    assertEquals(new ScrubReport(0, 0, 0, 0, 0), repair(world, file));
  }

  @Test
  void withoutAComponentThereIsNoScrub() {
    StripeWorld world = new StripeWorld(5, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(20 * UNIT_BYTES));
    RpcException marked =
        failureOf(world, world.engine.scrub(world.managed(StripeWorld.missing(file, 3))).verify());
    assertEquals(ErrorCode.TOO_MANY_LOST, marked.code());
    assertTrue(marked.getMessage().contains("component 3 on OSD"), marked.getMessage());
    world.osdOf(file, 3).stop();
    RpcException away = failureOf(world, world.engine.scrub(world.managed(file)).verify());
    assertEquals(ErrorCode.UNAVAILABLE, away.code());
  }

  @Test
  void damagedDataIsNotMadeTheTruth() {
    StripeWorld world = new StripeWorld(6, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    world.osdOf(file, 0).flipBit(file.name(), 77);
    StripedFile managed = world.managed(file);
    RpcException failure =
        failureOf(world, world.engine.scrub(managed).repair(StripeWorld.grantOf(managed)));
    assertEquals(ErrorCode.BAD_CHECKSUM, failure.code());
    assertArrayEquals(
        content,
        world.readAll(world.reader(world.readable(file.name(), file.map()), content.length)));
    world.assertNothingLeaks();
  }

  /** A component that must once have been there is not replaced by zeros. */
  @Test
  void aLostComponentIsNotMistakenForOneThatWasNeverMade() {
    StripeWorld world = new StripeWorld(7, 5);
    Layout layout = new Layout(1, 3, 1 << 20, 2000, 1);
    StripedFile file = world.newFile(layout);
    byte[] content = world.bytes(18 << 20);
    world.writeAll(file, content);
    world.osdOf(file, 1).loseObject(file.name());
    StripedFile managed = world.managed(file);
    RpcException failure =
        failureOf(world, world.engine.scrub(managed).repair(StripeWorld.grantOf(managed)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().contains("rebuild it first"), failure.getMessage());
  }
}
