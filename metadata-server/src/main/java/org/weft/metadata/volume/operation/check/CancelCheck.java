package org.weft.metadata.volume.operation.check;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.WeftException;

/**
 * Ends a check of the volume (P 6.8d).
 *
 * @param id 0: the newest one
 */
public record CancelCheck(long id) implements Operation {
  /**
   * @throws WeftException PERMISSION_DENIED unless the caller is the superuser or in group
   *     "supergroup"
   */
  @Override
  public MessageLite execute(Execution on) throws WeftException {
    StartCheck.requireSuperuser(on);
    return on.checks().cancel(id);
  }
}
