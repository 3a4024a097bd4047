package org.weft.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;
import org.weft.protocol.error.WeftException;

/**
 * Weft's refusals as the exceptions that Hadoop's specification asks for; each keeps the text and
 * the refusal as its cause.
 */
final class HadoopFailures {
  private HadoopFailures() {}

  /**
   * Failures for a file that must exist. A file in the middle of the path means that it does not.
   */
  static IOException ofLookup(WeftException refusal, Object path) {
    return switch (refusal.code()) {
      case NOT_DIRECTORY, IS_DIRECTORY -> caused(new FileNotFoundException(text(refusal)), refusal);
      default -> common(refusal, path);
    };
  }

  /** Failures for a file to be made or changed. */
  static IOException ofChange(WeftException refusal, Object path) {
    return switch (refusal.code()) {
      case NOT_DIRECTORY -> caused(new ParentNotDirectoryException(text(refusal)), refusal);
      case IS_DIRECTORY -> caused(new FileAlreadyExistsException(text(refusal)), refusal);
      default -> common(refusal, path);
    };
  }

  private static IOException common(WeftException refusal, Object path) {
    return switch (refusal.code()) {
      case NOT_FOUND -> caused(new FileNotFoundException(text(refusal)), refusal);
      case EXISTS -> caused(new FileAlreadyExistsException(text(refusal)), refusal);
      case NOT_EMPTY -> caused(new NotEmptyException(String.valueOf(path), text(refusal)), refusal);
      case PERMISSION_DENIED, UNAUTHENTICATED ->
          caused(new AccessControlException(text(refusal)), refusal);
      case NO_SPACE, QUOTA_EXCEEDED ->
          new ClusterStorageCapacityExceededException(text(refusal), refusal);
      // Hadoop's message; the cause has Weft's own.
      case LOOP ->
          new IOException("Possible cyclic loop while following symbolic link " + path, refusal);
      case NAME_INVALID -> throw invalid(String.valueOf(path), refusal);
      case UNSUPPORTED -> throw new UnsupportedOperationException(text(refusal), refusal);
      default -> new IOException(text(refusal), refusal);
    };
  }

  /** A path that Weft cannot have. */
  static InvalidPathException invalid(String path, Exception why) {
    InvalidPathException invalid = new InvalidPathException(path, why.getMessage());
    invalid.initCause(why);
    return invalid;
  }

  private static <E extends IOException> E caused(E failure, WeftException cause) {
    failure.initCause(cause);
    return failure;
  }

  private static String text(WeftException refusal) {
    return String.valueOf(refusal.getMessage());
  }

  /** Hadoop's exception says only that; ours also how many entries there are. */
  private static final class NotEmptyException extends PathIsNotEmptyDirectoryException {
    private static final long serialVersionUID = 1L;

    private final String text;

    NotEmptyException(String path, String text) {
      super(path);
      this.text = text;
    }

    @Override
    public String getMessage() {
      return text;
    }
  }
}
