package org.weft.recovery.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.recovery.Resolving;

/** P 5.6: a reader decodes no stripe that a dead writer may have left half written. */
class DecodedAfterResolveTest {
  private static final int UNIT_BYTES = StripeWorld.UNIT_BYTES;

  /**
   * Raising the version of its objects shuts a dead writer out; what it left is pending until it is
   * resolved (P 5.5).
   */
  @Test
  void whatAWriterThatIsGoneMayHaveLeftHalfWrittenIsNotDecoded() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = world.newFile(StripeWorld.layout(3, 1));
    byte[] content = world.bytes(3 * UNIT_BYTES);
    world.writeAll(file, content);
    world.fenced(file);
    StripedFile readable = StripeWorld.missing(world.readable(file.name(), file.map()), 0);
    StripeReader before = world.engine.read(readable, content.length, true, world.failures::add);
    WeftException failure = world.failureOf(before.read(0, ByteBuffer.allocate(10)));
    assertEquals(ErrorCode.BUSY, failure.code());
    Resolving resolving =
        new Resolving(world, file.name(), StripeWorld.grantOf(file), content.length, 0, false);
    resolving.resolve(file.map());
    StripedFile again = StripeWorld.missing(world.readable(file.name(), file.map()), 0);
    StripeReader after = world.engine.read(again, content.length, true, world.failures::add);
    assertArrayEquals(content, world.readAll(after));
  }
}
