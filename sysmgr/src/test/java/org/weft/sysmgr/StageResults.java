package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Waits for futures, never longer than a deadline that only a broken test reaches. */
public final class StageResults {
  private static final long DEADLINE_SECONDS = 90;

  private StageResults() {}

  public static <T> T get(CompletionStage<T> stage) throws Exception {
    try {
      return stage.toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw WeftException.of(e);
    }
  }

  /** The failure of the stage, which must be of that code. */
  public static WeftException failure(ErrorCode code, CompletionStage<?> stage) throws Exception {
    try {
      Object value = stage.toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      return fail("expected " + code + ", got " + value);
    } catch (ExecutionException e) {
      WeftException failure = WeftException.of(e);
      assertTrue(failure.code() == code, () -> "expected " + code + ", got " + failure);
      return failure;
    } catch (TimeoutException e) {
      return fail("expected " + code + ", got no answer");
    }
  }
}
