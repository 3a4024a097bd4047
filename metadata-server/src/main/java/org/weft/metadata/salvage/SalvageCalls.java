package org.weft.metadata.salvage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.metadata.check.CheckedVolume.Entries;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * Single calls and records of a recovery, each repeated until OSDs answer (P 6.8e). So a walk
 * through millions of names continues where it was. Nothing else changes the volume meanwhile, and
 * a page of names is passed only once it was answered. A record that failed is in no journal or may
 * be there twice. What waiting does not mend fails at once. On the volume's thread.
 */
final class SalvageCalls {
  private final SalvagedVolume salvaged;
  private final Executor home;
  private final Consumer<String> waits;

  /**
   * @param home the volume's thread
   * @param waits receives what the calls wait for
   */
  SalvageCalls(SalvagedVolume salvaged, Executor home, Consumer<String> waits) {
    this.salvaged = salvaged;
    this.home = home;
    this.waits = waits;
  }

  /** The next names of a directory. */
  CompletionStage<Entries> entries(NameTally names, int max) {
    return repeated(() -> salvaged.volume().entries(names, max));
  }

  /** The attributes of one object, and no directory: the one with its name may be lost. */
  CompletionStage<NodeState> node(ObjectId object) {
    return repeated(() -> salvaged.volume().node(object));
  }

  /** What stands at a name. */
  CompletionStage<NameState> name(ObjectId directory, String name) {
    return repeated(() -> salvaged.volume().name(directory, name));
  }

  /** Completes once the operation is durable. */
  CompletionStage<Void> journal(Operation operation) {
    return repeated(() -> salvaged.journal(operation));
  }

  private <T> CompletionStage<T> repeated(Supplier<CompletionStage<T>> call) {
    CompletableFuture<T> done = new CompletableFuture<>();
    attempt(call, done);
    return done;
  }

  private <T> void attempt(Supplier<CompletionStage<T>> call, CompletableFuture<T> done) {
    CompletionStage<T> tried;
    try {
      tried = call.get();
    } catch (RuntimeException e) {
      // No later step would notice it.
      done.completeExceptionally(e);
      return;
    }
    var unused =
        tried.whenCompleteAsync(
            (answer, failure) -> {
              if (failure == null) {
                done.complete(answer);
                return;
              }
              WeftException why = WeftException.of(failure);
              if (why.code().mayPass()) {
                waits.accept(why.getMessage());
                salvaged.later(() -> attempt(call, done));
              } else {
                done.completeExceptionally(why);
              }
            },
            home);
  }
}
