package org.weft.cli.output;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.weft.protocol.error.WeftException;

/** What went wrong and what to do about it, in one line. */
public final class FailureText {
  private FailureText() {}

  /** The text of an expected failure: of the cluster, of a local file, or of an argument. */
  public static String of(Throwable failure) {
    String text;
    if (failure instanceof WeftException rpc) {
      text = withNextStep(rpc);
    } else if (failure instanceof FileSystemException local) {
      text = local.getFile() + ": " + reasonOf(local);
    } else {
      text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
    return PrintableText.of(text.replaceAll("\\s*[\\r\\n]+\\s*", " "));
  }

  private static String reasonOf(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory on this machine";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied on this machine";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return "exists already on this machine";
    }
    if (failure instanceof NotDirectoryException) {
      return "not a directory on this machine";
    }
    if (failure instanceof DirectoryNotEmptyException) {
      return "a directory that is not empty stands there on this machine";
    }
    if (failure instanceof FileSystemLoopException) {
      return "a symbolic link that leads back to a directory above it";
    }
    return failure.getReason() == null ? failure.getClass().getSimpleName() : failure.getReason();
  }

  private static String withNextStep(WeftException failure) {
    String message = String.valueOf(failure.getMessage());
    String step = nextStep(failure);
    // The server's own advice comes first.
    return step.isEmpty() || message.indexOf(';') >= 0 ? message : message + "; " + step;
  }

  private static String nextStep(WeftException failure) {
    return switch (failure.code()) {
      case NOT_FOUND -> "`weft fs ls` shows what is there";
      case EXISTS -> "choose another name or remove it first";
      case NOT_EMPTY -> "`weft fs rm -r` removes a directory with all that is in it";
      case PERMISSION_DENIED -> "`weft fs stat` shows whose it is";
      case NO_SPACE -> "`weft fs df` shows the space; remove files or add OSDs";
      case QUOTA_EXCEEDED -> "`weft quota show` shows what the quotas leave";
      case BEING_WRITTEN -> "try again when that client is done";
      case TOO_MANY_LOST,
          OSDS_SILENT,
          UNAVAILABLE,
          NOT_SERVING,
          DEADLINE_EXCEEDED,
          CONNECTION_LOST ->
          "`weft status` shows what is wrong";
      case OVERLOADED -> "try again in a moment";
      default -> "";
    };
  }

  /**
   * True for failures that will meet every further request too. Not OVERLOADED, which passes, nor
   * what one OSD or one file brings about.
   */
  public static boolean endsAll(IOException failure) {
    return failure instanceof WeftException rpc
        && switch (rpc.code()) {
          case UNAVAILABLE,
              NOT_SERVING,
              DEADLINE_EXCEEDED,
              CONNECTION_LOST,
              SESSION_EXPIRED,
              CANCELLED,
              NO_SPACE,
              WRONG_CLUSTER,
              UNAUTHENTICATED ->
              true;
          default -> false;
        };
  }
}
