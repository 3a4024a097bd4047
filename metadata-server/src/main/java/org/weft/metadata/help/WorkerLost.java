package org.weft.metadata.help;

import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Says, among the causes of a failure, that it is not known what a worker does with a component. It
 * may go on writing, and nothing that it writes counts: the number is given up with what was
 * written under it, and the component is begun anew under another (P 6.8).
 */
public final class WorkerLost extends Exception {
  private static final long serialVersionUID = 1L;

  private WorkerLost(String message, Throwable cause) {
    super(message, cause);
  }

  /** A failure with that cause. */
  static RpcException failure(int managerId, RpcException why) {
    String message = "manager %d does not say how far it is".formatted(managerId);
    return new RpcException(
        ErrorCode.UNAVAILABLE, message + ": " + why.getMessage(), new WorkerLost(message, why));
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
