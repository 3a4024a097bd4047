package org.weft.client.stripe.base;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Asks the manager for another grant when components of a file do not take its writes (P 5.8). */
@FunctionalInterface
public interface Regrants {
  /** For writers without a manager's help: a component that fails ends the writing. */
  Regrants NONE =
      (under, lost, completeUpTo) ->
          CompletableFuture.failedFuture(
              new WeftException(
                  ErrorCode.UNSUPPORTED, "no manager can be asked to do without a component"));

  /**
   * Asks once for terms that do without the components lost. When it succeeds the old grant has
   * ended. Fails with BUSY or UNAVAILABLE while none of them is given up, and with TOO_MANY_LOST if
   * the code does not bear it. The caller is to ask again later, for OSDs may be back. Fails with
   * UNSUPPORTED if there is no use in asking. Fails with another code if the file is not this
   * writer's any more.
   *
   * @param under the terms that held until now
   * @param lost at least one
   * @param completeUpTo every write up to here is complete on all components
   */
  CompletableFuture<WriteTerms> regrant(
      WriteTerms under, List<ComponentFailure> lost, long completeUpTo);
}
