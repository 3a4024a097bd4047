package org.weft.metadata.help;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Says, among the causes of a failure, that no manager has room to copy a component now. Nothing
 * was begun. The file is put back as it was, and gets its turn when there is room (P 6.8).
 */
public final class NoRoom extends Exception {
  private static final long serialVersionUID = 1L;

  private NoRoom(String message) {
    super(message);
  }

  /** A failure with that cause. */
  public static WeftException failure() {
    String message = "no manager has room to copy it now; it has its turn when one has";
    return new WeftException(ErrorCode.BUSY, message, new NoRoom(message));
  }

  /** True if that is why. */
  public static boolean isIn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof NoRoom) {
        return true;
      }
    }
    return false;
  }
}
