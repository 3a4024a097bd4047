package org.weft.metadata.volume.operation.check;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Begins a check of the volume (P 6.8d), or finds the one under way that looks at as much. It is
 * not journalled: a check ends with the manager.
 *
 * @param parity compare it with the data as well
 */
public record StartCheck(boolean parity) implements Operation {
  /**
   * @throws WeftException PERMISSION_DENIED unless the caller is the superuser or in group
   *     "supergroup"; BUSY if a check is under way that looks at less
   */
  @Override
  public MessageLite execute(Execution on) throws WeftException {
    requireSuperuser(on);
    return on.checks().start(parity);
  }

  static void requireSuperuser(Execution on) throws WeftException {
    if (!on.credentials().superuser()) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "only the superuser and members of group \"supergroup\" may check a volume");
    }
  }
}
