package org.weft.nfs.files;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * An operation that was not done. It has no stack trace, as most are expected: a name that is not
 * there.
 */
public final class FileException extends IOException {
  private static final long serialVersionUID = 1L;

  private final FileError error;
  private final transient Touched touched;

  public FileException(FileError error, String message) {
    this(error, message, Touched.NONE);
  }

  public FileException(FileError error, String message, Touched touched) {
    super(message);
    this.error = error;
    this.touched = touched;
  }

  private FileException(String message, Throwable cause) {
    super(message, cause);
    this.error = FileError.INTERNAL;
    this.touched = Touched.NONE;
  }

  /** What a stage failed with; INTERNAL for anything unexpected, which is the cause then. */
  public static FileException of(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof FileException failure
        ? failure
        : new FileException(String.valueOf(cause), cause);
  }

  public FileError error() {
    return error;
  }

  /** Attributes of what was looked at. */
  public Touched touched() {
    return touched;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  @SuppressWarnings("OverrideThrowableToString")
  @Override
  public String toString() {
    return error + ": " + getMessage();
  }
}
