package org.weft.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Waits for futures at the edge, where code may block. Every future waited for has a deadline of
 * its own.
 */
public final class Blocking {
  private Blocking() {}

  /**
   * The value; failures as {@link RpcException}, with a stack that shows who waited. What hangs on
   * the future may run on this thread, in place of the client's callback executor.
   */
  public static <T> T await(CompletableFuture<T> future) throws IOException {
    try {
      return future instanceof Delivered<T> delivered ? delivered.await() : future.get();
    } catch (InterruptedException e) {
      future.cancel(false);
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting");
      interrupted.initCause(e);
      throw interrupted;
    } catch (CancellationException e) {
      throw new RpcException(ErrorCode.CANCELLED, "the request was cancelled", e);
    } catch (ExecutionException e) {
      RpcException failure = RpcException.of(e);
      throw new RpcException(failure.code(), failure.getMessage(), failure);
    }
  }
}
