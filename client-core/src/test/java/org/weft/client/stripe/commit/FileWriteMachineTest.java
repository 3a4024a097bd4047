package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** What the machine of a file's writes does where something in this process is broken. */
class FileWriteMachineTest {
  private final StripeWorld world = new StripeWorld(78, 8);
  private final StripedFile file = world.newFile(StripeWorld.layout(4, 1));
  private final FileWriteMachine machine =
      new FileWriteMachine(
          StripeWorld.OPTIONS,
          world.time,
          world.random,
          new OwnOrders(world.context),
          new WriteTerms(file, world.grant(file)),
          0,
          true);
  private int released;

  /** An order to one component that does that when it is looked at. */
  private OpenOrder order(Runnable whenAsked) {
    return new OpenOrder(
        new ComponentOrder() {
          @Override
          public List<Integer> participants() {
            whenAsked.run();
            return List.of(2);
          }

          @Override
          public CompletableFuture<?> attempt(Try attempt) {
            return CompletableFuture.completedFuture(null);
          }

          @Override
          public void release() {
            released++;
          }
        });
  }

  private List<WriteEffect> on(WriteEvent event) {
    List<WriteEffect> effects = new ArrayList<>(machine.on(event));
    for (WriteEffect effect : effects) {
      if (effect instanceof WriteEffect.Release release) {
        release.order().release();
      }
    }
    return effects;
  }

  private static List<Throwable> ends(List<WriteEffect> effects, OpenOrder order) {
    return effects.stream()
        .filter(effect -> effect instanceof WriteEffect.Finish end && end.future() == order.done())
        .map(effect -> ((WriteEffect.Finish) effect).thrown())
        .toList();
  }

  @Test
  void anOrderThatThrowsEndsTheWritingAndItselfOnce() {
    OpenOrder broken =
        order(
            () -> {
              throw new IllegalStateException("no order");
            });
    List<WriteEffect> effects = on(told -> told.submit(broken));
    assertEquals(1, ends(effects, broken).size());
    assertEquals(1, released);
    assertEquals(ErrorCode.INTERNAL, machine.failure().code());
  }

  @Test
  void aFailedSendEndsTheWritingAndFreesTheMemory() {
    OpenOrder order = order(() -> {});
    WriteEffect send = on(told -> told.submit(order)).get(0);
    assertTrue(send instanceof WriteEffect.Send);
    List<WriteEffect> effects =
        on(told -> send.fail(told, new OutOfMemoryError("no memory for a request")));
    assertEquals(1, ends(effects, order).size());
    assertEquals(1, released);
  }

  @Test
  void aFailedTimerEndsTheWritingAndFreesTheMemory() {
    OpenOrder order = order(() -> {});
    WriteEffect.Send send = (WriteEffect.Send) on(told -> told.submit(order)).get(0);
    WeftException lost = new WeftException(ErrorCode.CONNECTION_LOST, "it has gone");
    WriteEffect pause = on(told -> told.answered(send.call(), send.attempt(), lost)).get(0);
    assertTrue(pause instanceof WriteEffect.TryLater);
    List<WriteEffect> effects =
        on(told -> pause.fail(told, new IllegalStateException("the timer has ended")));
    assertEquals(1, ends(effects, order).size());
    assertEquals(1, released);
  }

  @Test
  void aFailedQuestionToTheManagerEndsTheWriting() {
    WriteEffect ask =
        on(told -> told.renew(machine.terms(), new WeftException(ErrorCode.FENCED, "ended")))
            .get(0);
    assertTrue(ask instanceof WriteEffect.Ask);
    CompletableFuture<Void> quiet = machine.renewal().quiet();
    List<WriteEffect> effects = on(told -> ask.fail(told, new OutOfMemoryError("no memory")));
    assertEquals(1, effects.size());
    assertSame(quiet, ((WriteEffect.Finish) effects.get(0)).future());
    assertEquals(ErrorCode.INTERNAL, machine.failure().code());
  }

  /** A manager that is busy is asked after each pause, until it has granted something. */
  @Test
  void aManagerThatGrantsNothingNowIsAskedAgain() {
    WeftException busy = new WeftException(ErrorCode.BUSY, "an OSD is not given up yet");
    WeftException ended = new WeftException(ErrorCode.FENCED, "ended");
    List<WriteEffect> effects = on(told -> told.renew(machine.terms(), ended));
    for (int question = 0; question < 3; question++) {
      assertTrue(effects.get(0) instanceof WriteEffect.Ask, () -> "asked");
      effects = on(GrantAnswer.refused(machine.terms(), busy));
      assertEquals(1, effects.size());
      assertTrue(effects.get(0) instanceof WriteEffect.AskLater, () -> "asked after a pause");
      assertEquals(List.of(), on(told -> told.renew(machine.terms(), ended)), "not meanwhile");
      effects = on(FileWriteMachine::askAgain);
    }
    on(GrantAnswer.granted(machine.terms(), world.nextTerms(file.name(), file.map())));
    assertEquals(List.of(), on(FileWriteMachine::askAgain));
    assertTrue(on(told -> told.renew(machine.terms(), ended)).get(0) instanceof WriteEffect.Ask);
  }

  @Test
  void aManagerThatGrantsNothingForTooLongEndsTheWriting() {
    WeftException busy = new WeftException(ErrorCode.BUSY, "an OSD is not given up yet");
    on(told -> told.renew(machine.terms(), new WeftException(ErrorCode.FENCED, "ended")));
    world.time.pass(StripeWorld.OPTIONS.writeDeadlineMillis() * 1_000_000L);
    assertEquals(List.of(), on(GrantAnswer.refused(machine.terms(), busy)));
    assertEquals(ErrorCode.FENCED, machine.failure().code());
  }

  /** P 6.5.108: a cut has brought a grant, and only then the question of before it is answered. */
  @Test
  void anAnswerAboutTermsThatWereReplacedMeanwhileIsNone() {
    WriteTerms before = machine.terms();
    WeftException ended = new WeftException(ErrorCode.FENCED, "ended");
    on(told -> told.renew(before, ended));
    WriteTerms next = world.nextTerms(file.name(), file.map());
    on(told -> told.granted(next));
    on(told -> told.renew(machine.terms(), ended));
    CompletableFuture<Void> quiet = machine.renewal().quiet();
    OpenOrder order = order(() -> {});
    on(told -> told.submit(order));
    assertEquals(List.of(), on(GrantAnswer.granted(before, next)), "nothing is sent again");
    WeftException refusal = new WeftException(ErrorCode.INVALID_ARGUMENT, "none is named");
    assertEquals(List.of(), on(GrantAnswer.refused(before, refusal)));
    assertNull(machine.failure());
    assertTrue(machine.renewal().isAsking(), "the manager is asked for terms in place of those");
    assertFalse(quiet.isDone());
  }
}
