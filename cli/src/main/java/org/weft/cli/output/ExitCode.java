package org.weft.cli.output;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** The exit codes of commands: one number for each kind of outcome, the same in all commands. */
public enum ExitCode {
  OK(0, "done"),
  FAILURE(1, "failed for another reason, or for several; `fs test`: no"),
  USAGE(2, "used wrongly; nothing was done"),
  NOT_FOUND(3, "no such file, directory or attribute"),
  PERMISSION_DENIED(4, "not permitted"),
  EXISTS(5, "exists already"),
  WRONG_KIND(6, "a directory where a file is wanted or the reverse, not empty, a loop of links"),
  BEING_WRITTEN(7, "another client writes the file"),
  NO_SPACE(8, "no space left, or a quota is full"),
  UNAVAILABLE(9, "the cluster, or what is needed of it, did not reply in time"),
  DATA_LOST(10, "a file has lost more components than it has parity units"),
  UNSUPPORTED(11, "not supported, or not across volumes"),
  UNHEALTHY(12, "`status`, `osd check`: something is wrong, and printed");

  private final int number;
  private final String meaning;

  ExitCode(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  public int number() {
    return number;
  }

  public String meaning() {
    return meaning;
  }

  /** The code of one failure. */
  public static ExitCode of(Throwable failure) {
    if (failure instanceof WeftException rpc) {
      return of(rpc.code());
    }
    if (failure instanceof NoSuchFileException) {
      return NOT_FOUND;
    }
    if (failure instanceof AccessDeniedException) {
      return PERMISSION_DENIED;
    }
    if (failure instanceof FileAlreadyExistsException) {
      return EXISTS;
    }
    if (failure instanceof NotDirectoryException
        || failure instanceof DirectoryNotEmptyException
        || failure instanceof FileSystemLoopException) {
      return WRONG_KIND;
    }
    return FAILURE;
  }

  static ExitCode of(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND -> NOT_FOUND;
      case PERMISSION_DENIED, UNAUTHENTICATED -> PERMISSION_DENIED;
      case EXISTS -> EXISTS;
      case NOT_DIRECTORY, IS_DIRECTORY, NOT_EMPTY, LOOP -> WRONG_KIND;
      case BEING_WRITTEN -> BEING_WRITTEN;
      case NO_SPACE, QUOTA_EXCEEDED -> NO_SPACE;
      case UNAVAILABLE,
          DEADLINE_EXCEEDED,
          CONNECTION_LOST,
          NOT_SERVING,
          NOT_LEADER,
          OVERLOADED,
          QUARANTINED ->
          UNAVAILABLE;
      case TOO_MANY_LOST, OSDS_SILENT, BAD_CHECKSUM, BAD_MEDIA, STORE_FAILED -> DATA_LOST;
      case UNSUPPORTED, CROSS_VOLUME -> UNSUPPORTED;
      default -> FAILURE;
    };
  }
}
