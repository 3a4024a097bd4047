package org.weft.metadata.check;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Does things one after another, each on the volume's thread and none deeper in its stack. */
public final class Steps {
  private final Executor home;

  public Steps(Executor home) {
    this.home = home;
  }

  /** The volume's thread. */
  public Executor home() {
    return home;
  }

  /** Fails with the first step that fails; none follows then. */
  public <T> CompletionStage<Void> each(List<T> things, Function<T, CompletionStage<Void>> step) {
    return each(things, 0, step);
  }

  private <T> CompletionStage<Void> each(
      List<T> things, int index, Function<T, CompletionStage<Void>> step) {
    return index == things.size()
        ? CompletableFuture.completedStage(null)
        : step.apply(things.get(index))
            .thenComposeAsync(nothing -> each(things, index + 1, step), home);
  }
}
