package org.weft.simulator.workload;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** What a failure says of the operation. */
enum Errors {
  /** The file system refuses it, and has done nothing. */
  REFUSED,
  /** Another client is in the way; nothing was done. */
  IN_THE_WAY,
  /** It may have been done or not. */
  UNKNOWN,
  /** It may have been done or not; only a failing disk explains it. */
  OF_A_DISK,
  /** No fault explains it. */
  WRONG;

  static Errors of(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND,
          EXISTS,
          NOT_DIRECTORY,
          IS_DIRECTORY,
          NOT_EMPTY,
          INVALID_ARGUMENT,
          LOOP,
          CROSS_VOLUME,
          LOCKED,
          DEADLOCK ->
          REFUSED;
      case BEING_WRITTEN -> IN_THE_WAY;
      case INTERNAL -> OF_A_DISK;
      case UNSUPPORTED,
          MALFORMED,
          WRONG_CLUSTER,
          VERSION_MISMATCH,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          NAME_INVALID ->
          WRONG;
      default -> UNKNOWN;
    };
  }

  /**
   * Another client has put a new file in the place of the one that this client writes (P 6.6). Or
   * it has changed or removed the file while this client had given it back (P 6.5).
   */
  static boolean isReplaced(WeftException failure) {
    String message = failure.getMessage();
    return failure.code() == ErrorCode.GRANT_REVOKED
        && (message.contains("was replaced at") || message.contains("was given back to others"));
  }
}
