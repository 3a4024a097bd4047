package org.weft.client.stripe.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.WeftException;

/**
 * Something that {@link FileWriteMachine} wants done. {@link FileWriteService} does it without a
 * lock. The effects of one event are done in their order; one of them may bring another event,
 * whose effects are done before the rest.
 */
sealed interface WriteEffect {
  void perform(FileWriteService service);

  /** What the machine hears if it cannot be done: by default the writing ends. */
  default void fail(FileWriteMachine machine, Throwable why) {
    machine.fail(WeftException.of(why));
  }

  /** One try of a call goes to its component. */
  record Send(ComponentCall call, ComponentOrder.Try attempt) implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      service.send(call, attempt);
    }

    @Override
    public void fail(FileWriteMachine machine, Throwable why) {
      machine.unsent(call, why);
    }
  }

  /** A call is tried again after a pause. */
  record TryLater(ComponentCall call, long delayNanos) implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      service.after(delayNanos, machine -> machine.attempt(call));
    }

    @Override
    public void fail(FileWriteMachine machine, Throwable why) {
      machine.unsent(call, why);
    }
  }

  /** Nothing of an order is sent any more: its memory is given back. */
  record Release(ComponentOrder order) implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      order.release();
    }
  }

  /**
   * A caller's wait is over.
   *
   * @param future that the caller waits for
   * @param thrown null if it completes well
   */
  record Finish(CompletableFuture<Void> future, Throwable thrown) implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      if (thrown == null) {
        future.complete(null);
      } else {
        future.completeExceptionally(thrown);
      }
    }
  }

  /** The manager is asked for terms without those components. */
  record Ask(WriteTerms under, List<ComponentFailure> lost, long completeUpTo)
      implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      service.ask(under, lost, completeUpTo);
    }

    @Override
    public void fail(FileWriteMachine machine, Throwable why) {
      machine.unasked(why);
    }
  }

  /** The manager is asked again after a pause. */
  record AskLater(long delayNanos) implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      service.after(delayNanos, FileWriteMachine::askAgain);
    }
  }

  /** The failure of a component is told to the file's listener, which has it repaired. */
  record Report(ComponentFailure failure) implements WriteEffect {
    @Override
    public void perform(FileWriteService service) {
      service.report(failure);
    }
  }

  /** Components are to hear what is complete, if nothing else is sent to them soon. */
  record Watch() implements WriteEffect {
    static final Watch INSTANCE = new Watch();

    @Override
    public void perform(FileWriteService service) {
      service.watch();
    }
  }
}
