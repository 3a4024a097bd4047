package org.weft.osd.command.write;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.protocol.error.WeftException;

/**
 * A TRUNCATE or PUNCH under way, one part after the other. A part may be committed before the call
 * that gives it to the store returns, or later, on another thread. Either way the next part begins
 * with the stack that the first one had. So no object is too long for it.
 */
final class ReleaseRun {
  private final ObjectStore store;
  private final CompletableFuture<Receipt> done = new CompletableFuture<>();
  // Parts that are to be begun, with the one that is being begun: never more than two. It hands
  // the next part from thread to thread.
  private final AtomicInteger turns = new AtomicInteger();
  private BlockRelease part;

  ReleaseRun(ObjectStore store) {
    this.store = store;
  }

  /** The receipt of the last part. Called once. */
  CompletionStage<Receipt> begin(BlockRelease first) {
    turn(first);
    return done;
  }

  /** Begins the next part, or leaves it to the thread that is still beginning the last one. */
  private void turn(BlockRelease next) {
    part = next;
    if (turns.getAndIncrement() > 0) {
      return;
    }
    do {
      apply(part);
    } while (turns.decrementAndGet() > 0);
  }

  private void apply(BlockRelease now) {
    try {
      var unused =
          store.apply(now).whenComplete((receipt, failure) -> applied(now, receipt, failure));
    } catch (RuntimeException | Error e) {
      // On another thread the failure would be lost.
      done.completeExceptionally(e);
    }
  }

  private void applied(BlockRelease last, Receipt receipt, Throwable failure) {
    if (failure != null) {
      done.completeExceptionally(WeftException.of(failure));
    } else if (receipt.resumeBlock() == 0) {
      done.complete(receipt);
    } else {
      turn(last.resumedAt(receipt.resumeBlock()));
    }
  }
}
