package org.weft.protocol.error;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** An expected failure of a call; the message says what was wrong and what to do. */
public final class WeftException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Programs that serialize failures read their text. */
  private final transient ByteString detail;

  private final ErrorCode code;
  private final boolean answer;

  public WeftException(ErrorCode code, String message) {
    this(code, message, false, ByteString.EMPTY);
  }

  /** The detail is that of the cause. */
  public WeftException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.answer = false;
    this.detail = cause instanceof WeftException failure ? failure.detail() : ByteString.EMPTY;
  }

  private WeftException(ErrorCode code, String message, boolean answer, ByteString detail) {
    super(message);
    this.code = code;
    this.answer = answer;
    this.detail = detail;
  }

  /** What the other side has answered itself, as against what was found on the way to it. */
  public static WeftException answered(ErrorCode code, String message) {
    return answered(code, message, ByteString.EMPTY);
  }

  /** The same with what the request looked at. */
  public static WeftException answered(ErrorCode code, String message, ByteString detail) {
    return new WeftException(code, message, true, detail);
  }

  /** The same failure with another text; this one is its cause. */
  public WeftException saying(String message) {
    WeftException reworded = new WeftException(code, message, answer, detail());
    reworded.initCause(this);
    return reworded;
  }

  /** The same failure with what the request looked at; this one is its cause. */
  public WeftException with(ByteString lookedAt) {
    WeftException detailed = new WeftException(code, getMessage(), answer, lookedAt);
    detailed.initCause(this);
    return detailed;
  }

  /** What the request looked at, as the schema of its reply has it; empty where it is not told. */
  public ByteString detail() {
    return detail == null ? ByteString.EMPTY : detail;
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
