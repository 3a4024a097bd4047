package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;

/** What is known against an OSD or a component counts for a while, although it never answers. */
class DoubtsRunOutTest {
  private static final OsdId OSD = new OsdId(3);

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"NO_SUCH_OBJECT", "BAD_CHECKSUM"})
  void aComponentsFailureCountsUntilItIsAskedAgain(ErrorCode code) {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    FailureMemory memory = new FailureMemory(world.context, file, world.failures::add);
    assertTrue(memory.hasNoDoubts());
    memory.failed(2, new WeftException(code, "made to fail"));
    assertTrue(memory.isDoubtful(2) == !memory.hasNoDoubts());
    assertTrue(memory.hasNoDoubts() == (code == ErrorCode.BAD_CHECKSUM));
    world.time.pass(TimeUnit.MILLISECONDS.toNanos(world.context.options().suspicionMillis() + 1));
    assertTrue(memory.hasNoDoubts());
    assertFalse(memory.isDoubtful(2));
  }

  @Test
  void anOsdThatIsNeverAskedAgainIsNoDoubtForEver() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    FailureMemory memory = new FailureMemory(world.context, file, world.failures::add);
    world.context.suspects().failed(OSD);
    assertFalse(memory.hasNoDoubts());
    world.time.pass(TimeUnit.MILLISECONDS.toNanos(world.context.options().suspicionMillis() + 1));
    assertTrue(memory.hasNoDoubts());
  }
}
