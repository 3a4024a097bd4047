package org.weft.metadata.volume.operation.check;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Begins a check of the volume (P 6.8d), or finds the one under way that looks at as much. Nothing
 * is journalled: a check ends with the manager.
 *
 * @param parity compare it with the data as well
 */
public record StartCheck(boolean parity) implements Operation {
  /**
   * @throws RpcException PERMISSION_DENIED but for the superuser and group "supergroup"; BUSY if a
   *     check is under way that looks at less
   */
  @Override
  public MessageLite execute(Execution on) throws RpcException {
    requireSuperuser(on);
    return on.checks().start(parity);
  }

  @Override
  public boolean isAnsweredOnce() {
    return true;
  }

  static void requireSuperuser(Execution on) throws RpcException {
    if (!on.credentials().superuser()) {
      throw new RpcException(
          ErrorCode.PERMISSION_DENIED,
          "only the superuser and members of group \"supergroup\" may check a volume");
    }
  }
}
