package org.weft.sysmgr.liveness;

import java.util.Optional;

/**
 * What the primary of a volume says of its backup.
 *
 * @param manager that is the backup, or is about to be; 0: none
 * @param warm what it said last of its warm state; empty: nothing
 */
public record PairReport(int manager, State state, Optional<WarmReport> warm) {
  /** How far it is. */
  public enum State {
    /** A manager of an older release does not say. */
    UNKNOWN,
    /** The primary looks for none: manager.backup is off. */
    OFF,
    NONE,
    /** It is copied to, and is not in the row yet. */
    CATCHING_UP,
    /** It has all that was acknowledged. */
    IN_STEP
  }

  public static final PairReport UNKNOWN = new PairReport(0, State.UNKNOWN, Optional.empty());
}
