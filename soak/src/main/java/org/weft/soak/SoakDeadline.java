package org.weft.soak;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for calls that must end, one way or the other. */
final class SoakDeadline {
  /** Longer than any request's time is, and than a client is ever frozen. */
  private static final long SECONDS = 300;

  private SoakDeadline() {}

  /** A call that did not end in time: a violation, not a failure. */
  static final class Hung extends RuntimeException {
    private static final long serialVersionUID = 1;

    Hung() {
      super("a call has neither succeeded nor failed in " + SECONDS + " s");
    }
  }

  static <T> T await(CompletableFuture<T> call) throws Exception {
    try {
      return call.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (TimeoutException e) {
      throw new Hung();
    }
  }
}
