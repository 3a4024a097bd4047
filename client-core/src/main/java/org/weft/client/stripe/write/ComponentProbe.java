package org.weft.client.stripe.write;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Asks which components of a file may hold something, when its former length is not known. */
final class ComponentProbe {
  private ComponentProbe() {}

  /**
   * All components that the map calls present, but for those whose OSD says that there are none.
   */
  static CompletableFuture<List<Integer>> present(StripeContext context, StripedFile file) {
    Set<Integer> present = new ConcurrentSkipListSet<>();
    CompletableFuture<List<Integer>> found = new CompletableFuture<>();
    int count = file.layout().componentCount();
    Countdown countdown = new Countdown(count, () -> found.complete(List.copyOf(present)));
    for (int component = 0; component < count; component++) {
      if (file.map().isMissing(component)) {
        countdown.one();
      } else {
        ask(context, file, component, present, countdown);
      }
    }
    return found;
  }

  private static void ask(
      StripeContext context,
      StripedFile file,
      int component,
      Set<Integer> present,
      Countdown countdown) {
    var unused =
        context
            .attributesOf(file, component)
            .whenComplete(
                (reply, thrown) -> {
                  boolean absent =
                      thrown != null && WeftException.of(thrown).code() == ErrorCode.NO_SUCH_OBJECT;
                  if (!absent) {
                    present.add(component);
                  }
                  countdown.one();
                });
  }
}
