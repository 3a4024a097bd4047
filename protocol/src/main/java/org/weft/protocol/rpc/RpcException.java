package org.weft.protocol.rpc;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** An expected failure of a call; the message says what was wrong and what to do. */
public final class RpcException extends IOException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public RpcException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  public RpcException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }

  /**
   * The failure behind what a future threw, as an RpcException; INTERNAL for anything unexpected.
   */
  public static RpcException of(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof RpcException rpc
        ? rpc
        : new RpcException(ErrorCode.INTERNAL, String.valueOf(cause), cause);
  }

  /** Logs want the code; people who read {@link #getMessage} do not. */
  @SuppressWarnings("OverrideThrowableToString")
  @Override
  public String toString() {
    return code + ": " + getMessage();
  }
}
