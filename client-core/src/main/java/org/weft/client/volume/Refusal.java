package org.weft.client.volume;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Says what a failed attempt at a request means for the next step (P 6.4). */
enum Refusal {
  /** The manager did not take it up: try again, elsewhere or later. */
  NOT_TAKEN,
  /** It may have been executed and the answer lost: try again, with the same number only. */
  IN_DOUBT,
  /** The session is gone, and with it the reply cache. */
  SESSION_GONE,
  /** Another client writes the file: it may be done within a lease. */
  OCCUPIED,
  /** OSDs that may know the answer say nothing: they may be starting. */
  OSDS_AWAITED,
  /** An answer. */
  FINAL;

  static Refusal of(ErrorCode code) {
    if (code.isNotTaken()) {
      return NOT_TAKEN;
    }
    if (code.isInDoubt()) {
      return IN_DOUBT;
    }
    return switch (code) {
      case SESSION_EXPIRED -> SESSION_GONE;
      case BEING_WRITTEN -> OCCUPIED;
      case OSDS_SILENT -> OSDS_AWAITED;
      default -> FINAL;
    };
  }

  /** The failure with what it is about in front, unless its text says so already. */
  static WeftException about(String subject, WeftException failure) {
    String message = String.valueOf(failure.getMessage());
    return subject.isEmpty() || message.contains(subject)
        ? failure
        : new WeftException(failure.code(), subject + ": " + message, failure);
  }
}
