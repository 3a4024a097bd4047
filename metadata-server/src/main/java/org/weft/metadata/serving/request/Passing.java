package org.weft.metadata.serving.request;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;

/** Passes the result of a stage on to a future. */
public final class Passing {
  private Passing() {}

  /**
   * What the stage comes to, the target comes to.
   *
   * @param stage null: done already, without a value
   */
  public static <T> void to(CompletableFuture<T> target, CompletionStage<T> stage) {
    if (stage == null) {
      target.complete(null);
      return;
    }
    var unused =
        stage.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                target.complete(value);
              } else {
                target.completeExceptionally(WeftException.of(failure));
              }
            });
  }
}
