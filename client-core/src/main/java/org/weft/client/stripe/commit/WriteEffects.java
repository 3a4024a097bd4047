package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Collects what a {@link FileWriteMachine} wants done, until it is taken. */
final class WriteEffects {
  private List<WriteEffect> toDo = new ArrayList<>();

  void add(WriteEffect effect) {
    toDo.add(effect);
  }

  /** Gives the order's memory back if nothing of it is under way. */
  void release(OpenOrder order) {
    if (order.isLetGo()) {
      toDo.add(new WriteEffect.Release(order.order()));
    }
  }

  /** These calls will not begin. */
  void drop(List<ComponentCall> unbegun) {
    for (ComponentCall call : unbegun) {
      call.end();
      release(call.order());
    }
  }

  /** These waits have come to a good end. */
  void finish(List<CompletableFuture<Void>> waits) {
    for (CompletableFuture<Void> wait : waits) {
      toDo.add(new WriteEffect.Finish(wait, null));
    }
  }

  /** What was collected since the last time. */
  List<WriteEffect> take() {
    List<WriteEffect> taken = toDo;
    toDo = new ArrayList<>();
    return taken;
  }
}
