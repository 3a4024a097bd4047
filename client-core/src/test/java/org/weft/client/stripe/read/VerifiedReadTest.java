package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.WriteRequest;

/** With parity verified, what does not belong together is not delivered (DESIGN 5). */
class VerifiedReadTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 40);
  }

  private static StripeReader verified(StripeWorld world, StripedFile file, long sizeBytes) {
    return world.engine.readVerified(
        file, sizeBytes, false, Integer.MAX_VALUE, world.failures::add);
  }

  /** Puts other bytes there, with good checksums, as a store with a lost write would have them. */
  private static void replaceUnit(StripeWorld world, StripedFile file, int component, int offset) {
    byte[] other = world.bytes(4096);
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setOffset(offset)
            .setGrant(StripeWorld.grantOf(file))
            .setFirstSeq(9_000 + world.random.nextInt(1000))
            .setSeqCount(1)
            .setCompleteUpTo(8_999);
    for (int crc : BlockChecksums.of(ByteBuffer.wrap(other))) {
      request.addBlockCrc(crc);
    }
    OsdClient osds = new OsdClient(world.connections, world.time.newPool("writer", 4, 1000));
    CompletableFuture<?> written =
        osds.write(file.target(component, 1_000), request, Payload.of(ByteBuffer.wrap(other)));
    world.time.await(written);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aConsistentStripeIsReadDespiteLosses(long seed) {
    StripeWorld world = new StripeWorld(seed, 9);
    int k = 1 + world.random.nextInt(5);
    int m = 1 + world.random.nextInt(3);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(1 + world.random.nextInt(20 * UNIT_BYTES));
    world.writeAll(file, content);
    for (int lost = world.random.nextInt(m + 1); lost > 0; lost--) {
      world.osdOf(file, world.random.nextInt(k + m)).stop();
    }
    StripeReader reader = verified(world, file, content.length);
    assertArrayEquals(content, world.readAll(reader));
    for (int i = 0; i < 10; i++) {
      int from = world.random.nextInt(content.length);
      ByteBuffer target = ByteBuffer.allocate(1 + world.random.nextInt(3 * UNIT_BYTES));
      int count = world.time.await(reader.read(from, target));
      assertArrayEquals(
          Arrays.copyOfRange(content, from, from + count), Arrays.copyOf(target.array(), count));
    }
    world.assertNothingLeaks();
  }

  @Test
  void aStripeThatContradictsItsParityIsNotDelivered() {
    StripeWorld world = new StripeWorld(1, 6);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(12 * UNIT_BYTES);
    world.writeAll(file, content);
    int parity = file.map().layout().parityComponent(1, 0);
    replaceUnit(world, file, parity, UNIT_BYTES);
    StripeReader reader = verified(world, file, content.length);
    ByteBuffer target = ByteBuffer.allocate(content.length);
    WeftException failure = world.failureOf(reader.read(0, target));
    assertEquals(ErrorCode.BAD_CHECKSUM, failure.code());
    assertTrue(failure.getMessage().contains("stripe 1"), failure.getMessage());
    assertTrue(failure.getMessage().contains(file.name().toString()), failure.getMessage());
    // The other half of the unit, and the other stripes, are sound.
    int stripe = 4 * UNIT_BYTES;
    for (int from : new int[] {0, stripe + 4096, 2 * stripe}) {
      ByteBuffer sound = ByteBuffer.allocate(4096);
      assertEquals(4096, world.time.await(reader.read(from, sound)));
      assertArrayEquals(Arrays.copyOfRange(content, from, from + 4096), sound.array());
    }
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    world.assertNothingLeaks();
  }

  /** With two parities the wrong unit is known, whichever it is, and made good. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aUnitThatAllOthersContradictIsLost(long seed) {
    StripeWorld world = new StripeWorld(seed, 9);
    int k = 2 + world.random.nextInt(4);
    int m = 2 + world.random.nextInt(2);
    StripedFile file = world.newFile(StripeWorld.layout(k, m));
    byte[] content = world.bytes(2 * k * UNIT_BYTES);
    world.writeAll(file, content);
    int wrong = world.random.nextInt(k + m);
    replaceUnit(world, file, wrong, UNIT_BYTES);
    assertArrayEquals(content, world.readAll(verified(world, file, content.length)));
    assertEquals(1, world.failures.size());
    assertEquals(wrong, world.failures.get(0).componentIndex());
    assertEquals(ErrorCode.BAD_CHECKSUM, world.failures.get(0).cause().code());
    world.assertNothingLeaks();
  }

  @Test
  void copiesThatDifferAreToldByTheirMajority() {
    for (int m = 1; m <= 3; m++) {
      StripeWorld world = new StripeWorld(m, 8);
      StripedFile file = world.newFile(StripeWorld.layout(4, m));
      byte[] content = world.bytes(5_000);
      world.writeAll(file, content);
      replaceUnit(world, file, world.random.nextInt(m + 1), 0);
      StripeReader reader = verified(world, file, content.length);
      if (m == 1) {
        WeftException failure = world.failureOf(reader.read(0, ByteBuffer.allocate(5_000)));
        assertEquals(ErrorCode.BAD_CHECKSUM, failure.code());
      } else {
        assertArrayEquals(content, world.readAll(reader));
        assertEquals(1, world.failures.size());
      }
      world.assertNothingLeaks();
    }
  }
}
