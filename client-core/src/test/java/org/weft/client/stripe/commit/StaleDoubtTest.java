package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** A failure under a grant that was replaced since says nothing about the next grant (P 5.8). */
class StaleDoubtTest {
  private static final WeftException FENCED = new WeftException(ErrorCode.FENCED, "it has ended");
  private static final WeftException DAMAGED =
      new WeftException(ErrorCode.BAD_MEDIA, "the disk is of no use");

  private final StripeWorld world = new StripeWorld(51, 8);
  private final List<CompletableFuture<WriteTerms>> asked = new ArrayList<>();
  private final List<CompletableFuture<Void>> tries = new ArrayList<>();
  private StripedFile file;
  private FileWriteService sender;
  private WriteTerms first;

  @BeforeEach
  void aFileIsWritten() {
    file = world.newFile(StripeWorld.layout(4, 1));
    first = new WriteTerms(file, world.grant(file));
    sender =
        world.sender(
            first,
            0,
            (under, lost, completeUpTo) -> {
              asked.add(new CompletableFuture<>());
              return asked.get(asked.size() - 1);
            },
            world.failures::add);
  }

  /** An order to component 2, whose tries are answered by the test. */
  private ComponentOrder order() {
    return new ComponentOrder() {
      @Override
      public List<Integer> participants() {
        return List.of(2);
      }

      @Override
      public CompletableFuture<?> attempt(Try attempt) {
        tries.add(new CompletableFuture<>());
        return tries.get(tries.size() - 1);
      }
    };
  }

  private void replaceTheGrant() {
    assertTrue(sender.renew(first, FENCED));
    assertTrue(sender.isInDoubt());
    assertEquals(1, asked.size());
    asked.get(0).complete(world.nextTerms(file.name(), file.map()));
    assertFalse(sender.isInDoubt());
  }

  @Test
  void theEndOfAReplacedGrantDoesNotConcernTheNext() {
    replaceTheGrant();
    assertFalse(sender.renew(first, FENCED));
    assertFalse(sender.isInDoubt());
    assertEquals(1, asked.size(), "the manager is not asked again");
    // But what is said of the next grant counts.
    assertTrue(sender.renew(sender.terms(), FENCED));
    assertEquals(2, asked.size());
    assertTrue(sender.isInDoubt());
  }

  @Test
  void aNewGrantForgetsFailuresUnderTheOldOne() {
    CompletableFuture<Void> done = sender.submit(order());
    replaceTheGrant();
    assertEquals(2, tries.size(), "it is given again");
    tries.get(0).completeExceptionally(DAMAGED);
    assertFalse(sender.isInDoubt());
    assertEquals(1, asked.size());
    assertEquals(List.of(), world.failures);
    // But what it says under the next grant counts.
    tries.get(1).completeExceptionally(DAMAGED);
    assertEquals(2, asked.size());
    assertTrue(sender.isInDoubt());
    assertEquals(1, world.failures.size());
    assertFalse(done.isDone());
  }
}
