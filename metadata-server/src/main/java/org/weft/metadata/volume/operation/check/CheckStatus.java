package org.weft.metadata.volume.operation.check;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.WeftException;

/**
 * Returns how far a check of the volume is, and some of its findings (P 6.8d).
 *
 * @param id 0: the newest one
 * @param afterFinding findings behind the one with this number
 * @param max at most so many
 */
public record CheckStatus(long id, long afterFinding, int max) implements Operation {
  /**
   * @throws WeftException PERMISSION_DENIED unless the caller is the superuser or in group
   *     "supergroup"
   */
  @Override
  public MessageLite execute(Execution on) throws WeftException {
    StartCheck.requireSuperuser(on);
    on.view().sawAll();
    return on.checks().status(id, afterFinding, max);
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }
}
