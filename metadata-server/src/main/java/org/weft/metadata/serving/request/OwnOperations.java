package org.weft.metadata.serving.request;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.weft.metadata.volume.execution.Operation;

/**
 * Operations of the manager's own. Each operation is under way once at a time. One that works page
 * by page is executed again as soon as its last page is durable, while clients find room. On the
 * volume's thread.
 */
final class OwnOperations {
  private final Function<Operation, ? extends CompletableFuture<?>> run;
  private final Executor home;
  private final BooleanSupplier hasRoom;
  private final Set<Operation> underWay = new HashSet<>();

  /**
   * @param run executes one; what it returns completes on the volume's thread
   * @param home that thread, after what it does now
   * @param hasRoom no request waits for room in the journal or for a flush
   */
  OwnOperations(
      Function<Operation, ? extends CompletableFuture<?>> run,
      Executor home,
      BooleanSupplier hasRoom) {
    this.run = run;
    this.home = home;
    this.hasRoom = hasRoom;
  }

  /** Begins what is due and not under way. */
  void run(List<Operation> due) {
    for (Operation operation : due) {
      if (underWay.add(operation)) {
        execute(operation);
      }
    }
  }

  private void execute(Operation operation) {
    var unused =
        run.apply(operation)
            .whenComplete(
                (done, failure) -> {
                  // A refusal is not final: the operation is due again with the next tick.
                  if (failure == null && operation.goesOn() && hasRoom.getAsBoolean()) {
                    home.execute(() -> execute(operation));
                  } else {
                    underWay.remove(operation);
                  }
                });
  }
}
