package org.weft.metadata.volume;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * A refusal with what the request looked at (P 6.5c.8.37). All of it is as at the moment of the
 * refusal, so that it costs the caller no second request. The refusal waits until that state is
 * durable, like any other reply.
 */
final class RefusedOutcome {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedOutcome.class);

  private RefusedOutcome() {}

  /**
   * @param refused the execution that was refused; what it drafted counts no more
   */
  static Outcome of(WeftException why, Operation operation, Execution refused) {
    Lsn seen = refused.seenByRefusal();
    Execution looking = refused.afresh();
    try {
      return operation
          .lookedAt(looking)
          .filter(told -> told.getSerializedSize() > 0)
          .<Outcome>map(
              told ->
                  new Outcome.Refused(
                      why.with(told.toByteString()), later(seen, looking.seenByRefusal())))
          .orElseGet(() -> new Outcome.Refused(why, seen));
    } catch (NeedsInput | WeftException nothingToTell) {
      return new Outcome.Refused(why, seen);
    } catch (RuntimeException e) {
      // The refusal itself is right: the request gets it, and the volume goes on.
      LOG.error("what {} looked at cannot be told", operation, e);
      return new Outcome.Refused(why, seen);
    }
  }

  private static Lsn later(Lsn one, Lsn other) {
    return one.compareTo(other) < 0 ? other : one;
  }
}
