package org.weft.metadata.backup;

import java.util.Optional;
import org.weft.protocol.wire.WarmCopyState;

/**
 * How the backup of a volume is.
 *
 * @param manager that is the backup, or is about to be; 0: none
 * @param warm its last report of its warm state; empty: none
 */
public record PairStatus(State state, int manager, Optional<WarmCopyState> warm) {
  /** How far it is. */
  public enum State {
    /** None is looked for. */
    OFF,
    NONE,
    /** It is copied to, and is not in the row yet. */
    CATCHING_UP,
    /** It has all that was acknowledged. */
    IN_STEP
  }

  static PairStatus alone(State state) {
    return new PairStatus(state, 0, Optional.empty());
  }

  static PairStatus of(State state, int manager, ReplicatedJournal journal) {
    return new PairStatus(state, manager, journal.backupsWarmth());
  }
}
