package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Who finds that a grant has ended, or a component of no use, and is held up until the next grant
 * is there, says nothing about that one (P 5.8).
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StaleDoubtTest {
  private static final RpcException FENCED = new RpcException(ErrorCode.FENCED, "it has ended");

  private final StripeWorld world = new StripeWorld(51, 8);
  private final List<CompletableFuture<WriteTerms>> asked = new ArrayList<>();
  private StripedFile file;
  private RunSender sender;
  private Losses losses;

  @BeforeEach
  void aFileIsWritten() {
    file = world.newFile(StripeWorld.layout(4, 1));
    WriteTerms terms = new WriteTerms(file, world.grant(file));
    sender =
        world.sender(
            terms,
            0,
            (under, lost, completeUpTo) -> {
              asked.add(new CompletableFuture<>());
              return asked.get(asked.size() - 1);
            },
            world.failures::add);
    losses = sender.losses();
  }

  @Test
  void thatAReplacedGrantHasEndedIsNoDoubtOfItsSuccessor() throws InterruptedException {
    assertForgotten(() -> losses.renew(0, FENCED));
  }

  @Test
  void thatAComponentFailedUnderAReplacedGrantIsNoDoubtUnderItsSuccessor()
      throws InterruptedException {
    ComponentFailure failure = new ComponentFailure(file.name(), 2, file.map().osdOf(2), FENCED);
    assertForgotten(() -> losses.doubt(0, failure, FENCED));
    assertEquals(List.of(), world.failures);
  }

  /** The terms are replaced between the late one's look at them and its taking note. */
  private void assertForgotten(Runnable late) throws InterruptedException {
    losses.renew(0, FENCED);
    assertEquals(1, asked.size());
    Thread other = new Thread(late, "late");
    synchronized (losses) {
      other.start();
      while (other.getState() != Thread.State.BLOCKED) {
        assertTrue(other.isAlive(), "it passes here");
        Thread.onSpinWait();
      }
      asked.get(0).complete(world.nextTerms(file.name(), file.map()));
    }
    other.join();
    assertTrue(sender.isCurrent(1), "the next grant is in force");
    assertEquals(1, asked.size(), "nobody is asked again");
    assertFalse(losses.isInDoubt());
    // But what is said of the next grant counts.
    losses.renew(1, FENCED);
    assertEquals(2, asked.size());
    assertTrue(losses.isInDoubt());
  }
}
