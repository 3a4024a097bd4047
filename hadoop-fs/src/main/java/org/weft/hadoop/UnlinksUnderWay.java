package org.weft.hadoop;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.weft.client.Blocking;
import org.weft.protocol.error.WeftException;

/**
 * Files of a directory that are being removed, so many at a time. A file that is gone already is no
 * failure. Confined to one thread.
 */
final class UnlinksUnderWay {
  private final int most;
  private final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();

  UnlinksUnderWay(int most) {
    this.most = most;
  }

  /** Begins one more; waits for the oldest before, if there are as many as may be. */
  void begin(Supplier<CompletableFuture<Void>> unlink) throws IOException {
    if (underWay.size() == most) {
      awaitOldest();
    }
    underWay.addLast(unlink.get());
  }

  void awaitAll() throws IOException {
    while (!underWay.isEmpty()) {
      awaitOldest();
    }
  }

  private void awaitOldest() throws IOException {
    try {
      var unused = Blocking.await(underWay.removeFirst());
    } catch (WeftException e) {
      if (!PathRemoval.isGone(e)) {
        throw e;
      }
    }
  }

  /**
   * Waits for all that were begun, so that no removal is under way once the caller learns of the
   * failure. Requests have deadlines; an interrupted thread waits for them all the same.
   *
   * @param failure gets what else failed, as suppressed
   */
  void awaitBehind(Throwable failure) {
    for (CompletableFuture<Void> unlink : underWay) {
      try {
        unlink.join();
      } catch (CompletionException e) {
        WeftException other = WeftException.of(e);
        if (!PathRemoval.isGone(other) && other != failure) {
          failure.addSuppressed(other);
        }
      }
    }
    underWay.clear();
  }
}
