package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;
import static org.weft.client.stripe.StripeWriterTest.failureOf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** More components than the code bears lost their power while a file was written (P 5.9). */
class PowerLossResolveTest {
  private final StripeWorld world = new StripeWorld(41, 9);
  private final StripedFile file = world.newFile(StripeWorld.layout(3, 1));

  private StripedFile without(Integer... components) {
    return world.readable(file.name(), StripeWorld.missing(file, components).map());
  }

  /**
   * One component survived to tell how long the file is. Zeros in place of the others were read.
   */
  @Test
  void whatIsGoneIsNeverMadeAnew() {
    byte[] content = world.bytes(9 * UNIT_BYTES);
    world.writeAll(file, content);
    new RawWrites(world, file, content.length).tell(1, 3);
    for (int component : List.of(0, 2, 3)) {
      world.osdOf(file, component).loseObject(file.name());
    }
    Resolving resolving =
        new Resolving(world, file.name(), StripeWorld.grantOf(file), 0, 0, false)
            .suspecting(0, 1, 2, 3);
    ResolveOutcome outcome = resolving.resolve(file.map());
    assertEquals(content.length, outcome.sizeBytes());
    assertEquals(Set.of(0, 2, 3), outcome.gone().keySet());
    assertEquals(Set.of(), outcome.damaged().keySet());
    for (int component : List.of(0, 2, 3)) {
      assertFalse(world.osdOf(file, component).objects().contains(file.name()), "no zeros");
    }
    StripeReader reader = world.reader(without(0, 2, 3), content.length);
    int index = file.layout().roleOf(1, 1);
    long at = file.layout().stripeBytes() + index * UNIT_BYTES;
    ByteBuffer left = ByteBuffer.allocate(UNIT_BYTES);
    world.time.await(reader.read(at, left));
    assertArrayEquals(Arrays.copyOfRange(content, (int) at, (int) at + UNIT_BYTES), left.array());
    RpcException refused = failureOf(world, reader.read(0, ByteBuffer.allocate(UNIT_BYTES)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
  }

  /** It came back from before the last complete write: beside the others' units it is not read. */
  @Test
  void whatIsBehindIsNoSourceAndIsLeftOut() {
    byte[] content = world.bytes(3 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    int d2 = file.layout().dataComponent(0, 2);
    for (int component : List.of(0, 1, 2, 3)) {
      if (component != d2) {
        writer.tell(component, 4);
      }
    }
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false)
            .suspecting(d2, file.layout().dataComponent(0, 1));
    ResolveOutcome outcome = resolving.resolve(file.map());
    assertEquals(Set.of(d2), outcome.gone().keySet());
    ResolveOutcome again = resolving.resolve(file.map());
    assertEquals(Set.of(d2), again.gone().keySet(), "the manager died before it marked it missing");
  }
}
