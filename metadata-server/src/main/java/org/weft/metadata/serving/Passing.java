package org.weft.metadata.serving;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.RpcException;

/** What became of a stage is told to a future. */
final class Passing {
  private Passing() {}

  /**
   * @param stage null: done already
   */
  static void to(CompletableFuture<Void> target, CompletionStage<Void> stage) {
    if (stage == null) {
      target.complete(null);
      return;
    }
    var unused =
        stage.whenComplete(
            (nothing, failure) -> {
              if (failure == null) {
                target.complete(null);
              } else {
                target.completeExceptionally(RpcException.of(failure));
              }
            });
  }
}
