package org.weft.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.client.callback.CallbackFuture;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Waits for futures at the edge, where code may block. Every future waited for has a deadline of
 * its own.
 */
public final class Blocking {
  private Blocking() {}

  /**
   * The value; failures as {@link WeftException}, with the stack of the caller. What hangs on the
   * future may run on this thread, in place of the client's callback executor.
   */
  public static <T> T await(CompletableFuture<T> future) throws IOException {
    try {
      return await(future, Long.MAX_VALUE);
    } catch (InterruptedException e) {
      future.cancel(false);
      Thread.currentThread().interrupt();
      throw interrupted(e);
    }
  }

  /**
   * As {@link #await}, for a call that cannot be taken back: an interrupted thread waits on for the
   * outcome, and is interrupted again when it returns. A second interrupt ends the wait, and so
   * does the time.
   *
   * @param mostMillis how long an interrupted thread waits on
   * @throws InterruptedIOException if the wait ended before the call; the call goes on
   */
  static <T> T awaitThoughInterrupted(CompletableFuture<T> future, long mostMillis)
      throws IOException {
    try {
      return await(future, Long.MAX_VALUE);
    } catch (InterruptedException first) {
      try {
        return await(future, mostMillis);
      } catch (InterruptedException second) {
        throw interrupted(second);
      } finally {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static <T> T await(CompletableFuture<T> future, long mostMillis)
      throws IOException, InterruptedException {
    try {
      if (mostMillis < Long.MAX_VALUE) {
        return future.get(mostMillis, TimeUnit.MILLISECONDS);
      }
      return future instanceof CallbackFuture<T> delivered ? delivered.await() : future.get();
    } catch (TimeoutException e) {
      throw interrupted(e);
    } catch (CancellationException e) {
      throw new WeftException(ErrorCode.CANCELLED, "the request was cancelled", e);
    } catch (ExecutionException e) {
      WeftException failure = WeftException.of(e);
      throw new WeftException(failure.code(), failure.getMessage(), failure);
    }
  }

  private static InterruptedIOException interrupted(Exception cause) {
    InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting");
    interrupted.initCause(cause);
    return interrupted;
  }
}
