package org.weft.recovery.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.ParityReport;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.layout.Layout;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;

/**
 * A client is killed in the middle of a new file: whatever had left it arrives or not, in any
 * mixture of runs of stripes and of components that were never made (P 4.2, 5.5).
 */
class TornStreamTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 27L * Integer.getInteger("weft.times", 1));
  }

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

    Resolving resolving = new Resolving(world, file.name(), StripeWorld.grantOf(file), 0, 0, false);
    for (int messages = world.random.nextInt(20); messages < 20; messages += 7) {
      resolving.interrupt(file.map(), messages);
    }
    ResolveOutcome outcome = resolving.resolve(file.map());
    ParityReport report = world.time.await(world.engine.parityOf(world.managed(file)).verify());
    assertEquals(0, report.wrongUnits());
    long eof = outcome.sizeBytes();
    assertEquals(eof, report.eofBytes());
    assertTrue(eof <= content.length);
    if (acknowledged) {
      assertEquals(content.length, eof);
      assertEquals(0, outcome.undone());
      assertArrayEquals(content, world.readAll(world.reader(readable(world, file), eof)));
    }
    assertAllDecodesAgree(world, file, eof);
    world.assertNothingLeaks();
  }

  private static StripedFile readable(StripeWorld world, StripedFile file) {
    return world.readable(file.name(), file.map());
  }

  private static void assertAllDecodesAgree(StripeWorld world, StripedFile file, long eof) {
    byte[] whole = world.readAll(world.reader(readable(world, file), eof));
    for (int round = 0; round < 4; round++) {
      Integer[] lost =
          world
              .random
              .ints(0, file.map().layout().width())
              .distinct()
              .limit(file.map().layout().parityUnits())
              .boxed()
              .toArray(Integer[]::new);
      StripedFile lessened = StripeWorld.missing(readable(world, file), lost);
      assertArrayEquals(
          whole, world.readAll(world.reader(lessened, eof)), "lost " + Arrays.toString(lost));
    }
  }
}
