package org.weft.metadata.salvage;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.metadata.check.CheckedVolume.Entries;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.objects.NameTally;
import org.weft.metadata.volume.Operation;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Single questions and records of a recovery, each repeated until OSDs answer: what walks through
 * millions of names goes on where it was (P 6.8e). Nothing else changes the volume meanwhile, a
 * page of names is passed only once it was answered, and a record that failed is in no journal or
 * may be there twice. What waiting does not mend fails at once. On the volume's thread.
 */
final class PatientCalls {
  private final SalvagedVolume salvaged;
  private final Executor home;
  private final Consumer<String> waits;

  /**
   * @param home the volume's thread
   * @param waits hears what is waited for
   */
  PatientCalls(SalvagedVolume salvaged, Executor home, Consumer<String> waits) {
    this.salvaged = salvaged;
    this.home = home;
    this.waits = waits;
  }

  /** The next names of a directory. */
  CompletionStage<Entries> entries(NameTally names, int max) {
    return repeated(() -> salvaged.volume().entries(names, max));
  }

  /** The standing of one object. */
  CompletionStage<NodeState> state(ObjectId object) {
    return repeated(
        () -> salvaged.volume().states(List.of(object), Map.of()).thenApply(of(object)));
  }

  private static Function<Map<ObjectId, NodeState>, NodeState> of(ObjectId object) {
    return states ->
        Optional.ofNullable(states.get(object))
            .orElseThrow(
                () ->
                    new CompletionException(
                        new RpcException(
                            ErrorCode.UNAVAILABLE, "object " + object + " cannot be loaded")));
  }

  /** What stands at a name. */
  CompletionStage<Optional<NameState>> name(ObjectId directory, String name) {
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
    var unused =
        call.get()
            .whenCompleteAsync(
                (answer, failure) -> {
                  if (failure == null) {
                    done.complete(answer);
                    return;
                  }
                  RpcException why = RpcException.of(failure);
                  if (passes(why.code())) {
                    waits.accept(why.getMessage());
                    salvaged.later(() -> attempt(call, done));
                  } else {
                    done.completeExceptionally(why);
                  }
                },
                home);
  }

  private static boolean passes(ErrorCode code) {
    return switch (code) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, OVERLOADED, BUSY -> true;
      default -> false;
    };
  }
}
