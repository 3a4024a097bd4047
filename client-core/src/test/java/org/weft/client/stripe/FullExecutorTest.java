package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.RejectedExecutionException;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.seam.Environment;

/** DESIGN 7, rule 7: an executor that refuses tasks slows streams down and breaks nothing. */
class FullExecutorTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void streamsGetThroughAnExecutorThatOftenRefuses(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    Environment environment =
        new Environment(world.time, world.time, world.time, world.random, world.wire, () -> "boot");
    StripeEngine engine =
        new StripeEngine(
            environment,
            world.connections,
            task -> {
              if (world.random.nextInt(4) == 0) {
                throw new RejectedExecutionException("full");
              }
              world.time.after(world.random.nextInt(20_000), task);
            },
            StripeWorld.OPTIONS);
    StripedFile file = world.newFile(StripeWorld.layout(3, 2));
    byte[] content = world.bytes(40 * StripeWorld.UNIT_BYTES + 99);
    StripeWriter writer = engine.write(file, world.grant(file), FailureListener.NONE);
    world.time.await(world.write(writer, content));
    StripeReader reader = engine.read(file, content.length, false, FailureListener.NONE);
    assertArrayEquals(content, world.readAll(reader));
    world.assertNothingLeaks();
    assertEquals(0, engine.context().pool().takenBytes());
    assertEquals(0, engine.context().pool().reservedBytes());
  }
}
