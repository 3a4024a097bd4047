package org.weft.protocol.error;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** An expected failure of a call; the message says what was wrong and what to do. */
public final class WeftException extends IOException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final boolean answer;

  public WeftException(ErrorCode code, String message) {
    this(code, message, false);
  }

  public WeftException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.answer = false;
  }

  private WeftException(ErrorCode code, String message, boolean answer) {
    super(message);
    this.code = code;
    this.answer = answer;
  }

  /** What the other side has answered itself, as against what was found on the way to it. */
  public static WeftException answered(ErrorCode code, String message) {
    return new WeftException(code, message, true);
  }

  /** The same failure with another text; this one is its cause. */
  public WeftException saying(String message) {
    WeftException reworded = new WeftException(code, message, answer);
    reworded.initCause(this);
    return reworded;
  }

  /**
   * True if the other side has read the request and refused it. False where it is not known, as of
   * a failure that has this one as its cause.
   */
  public boolean isAnswer() {
    return answer;
  }

  public ErrorCode code() {
    return code;
  }

  /**
   * The failure behind what a future threw, as a WeftException; INTERNAL for anything unexpected.
   */
  public static WeftException of(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof WeftException rpc
        ? rpc
        : new WeftException(ErrorCode.INTERNAL, String.valueOf(cause), cause);
  }

  /** Logs want the code; readers of {@link #getMessage} do not. */
  @SuppressWarnings("OverrideThrowableToString")
  @Override
  public String toString() {
    return code + ": " + getMessage();
  }
}
