package org.weft.metadata.help;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Says, among the causes of a failure, that a worker was lost, or failed in a way that may be its
 * own. It may go on writing, and nothing that it writes counts. The number is given up with what
 * was written under it, and the component is begun anew under another number (P 6.8).
 */
public final class WorkerLost extends Exception {
  private static final long serialVersionUID = 1L;

  private WorkerLost(String message) {
    super(message);
  }

  /** A failure with that cause. */
  public static WeftException failure(int managerId, WeftException why) {
    String message =
        "manager %d has not copied what it was given: %s".formatted(managerId, why.getMessage());
    // Its cause is not among the causes here: an OSD that failed for a worker may serve others.
    return new WeftException(ErrorCode.UNAVAILABLE, message, new WorkerLost(message));
  }

  /** True if a worker was lost, and nothing is known to be wrong with the component or its OSDs. */
  public static boolean isIn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkerLost) {
        return true;
      }
    }
    return false;
  }
}
