package org.weft.nfs.weft;

import org.weft.client.ids.Answers;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The NFS errors for failures of Weft's client. A failure that may go away by itself is TRY_LATER,
 * so that programs wait and see no error.
 */
final class NfsFailures {
  private NfsFailures() {}

  static FileException of(Throwable thrown) {
    if (thrown instanceof FileException failure) {
      return failure;
    }
    return of(thrown, Answers.LookedAt.NOTHING);
  }

  /** The same with the attributes that clients get with the failure (RFC 1813). */
  static FileException of(Throwable thrown, Answers.LookedAt looked) {
    WeftException failure = WeftException.of(thrown);
    return new FileException(
        error(failure.code()),
        String.valueOf(failure.getMessage()),
        new Touched(looked.node(), looked.directory(), looked.target()));
  }

  /** True if a further request is useless: the client gets the failure. */
  static boolean isFinal(Throwable thrown) {
    return !(thrown instanceof FileException) && !mayPass(thrown) && !wasNotTaken(thrown);
  }

  /** A client shall ask again after a while. */
  static FileException later(String message) {
    return new FileException(FileError.TRY_LATER, message);
  }

  /**
   * True if asking once more may bring an answer. For what is BUSY the client of NFS waits itself.
   */
  static boolean mayPass(Throwable thrown) {
    if (thrown instanceof FileException) {
      return false;
    }
    ErrorCode code = WeftException.of(thrown).code();
    return code.isUnanswered() || code.isNotTaken() || code == ErrorCode.SESSION_EXPIRED;
  }

  /** True if a request surely was not taken, and may be asked for anew under another number. */
  static boolean wasNotTaken(Throwable thrown) {
    return !(thrown instanceof FileException) && WeftException.of(thrown).code().isNotTaken();
  }

  private static FileError error(ErrorCode code) {
    return switch (code) {
      case STALE -> FileError.STALE;
      case NOT_FOUND -> FileError.NOT_FOUND;
      case EXISTS -> FileError.EXISTS;
      case NOT_DIRECTORY -> FileError.NOT_DIRECTORY;
      case IS_DIRECTORY -> FileError.IS_DIRECTORY;
      case NOT_EMPTY -> FileError.NOT_EMPTY;
      case PERMISSION_DENIED -> FileError.ACCESS_DENIED;
      case NOT_OWNER -> FileError.NOT_PERMITTED;
      case NAME_INVALID, INVALID_ARGUMENT, UNSUPPORTED, LOOP -> FileError.INVALID;
      case CROSS_VOLUME -> FileError.CROSS_VOLUME;
      case NO_SPACE -> FileError.NO_SPACE;
      case QUOTA_EXCEEDED -> FileError.QUOTA_EXCEEDED;
      case TOO_MANY_LINKS -> FileError.TOO_MANY_LINKS;
      case GUARD_FAILED -> FileError.GUARD_FAILED;
      case BAD_MEDIA, BAD_CHECKSUM -> FileError.IO;
      // Another client has it now, or a part of the cluster is away or is starting. OSDs that hold
      // the data may come back.
      case BEING_WRITTEN,
          BUSY,
          UNAVAILABLE,
          CONNECTION_LOST,
          DEADLINE_EXCEEDED,
          OVERLOADED,
          SESSION_EXPIRED,
          GRANT_REVOKED,
          HANDLE_INVALID,
          NOT_SERVING,
          NOT_LEADER,
          FENCED,
          WRITE_ABORTED,
          QUARANTINED,
          STORE_FAILED,
          CAPABILITY_EXPIRED,
          CAPABILITY_INVALID,
          TOMBSTONE,
          TOO_MANY_LOST,
          OSDS_SILENT,
          NO_SUCH_OBJECT,
          NO_SUCH_PARTITION,
          LOCKED,
          DEADLOCK,
          CANCELLED ->
          FileError.TRY_LATER;
      case INTERNAL, MALFORMED, WRONG_CLUSTER, VERSION_MISMATCH, UNAUTHENTICATED ->
          FileError.INTERNAL;
    };
  }
}
