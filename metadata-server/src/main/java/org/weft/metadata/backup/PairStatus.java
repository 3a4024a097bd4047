package org.weft.metadata.backup;

/**
 * How the backup of a volume is.
 *
 * @param manager that is the backup, or is about to be; 0: none
 */
public record PairStatus(State state, int manager) {
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
}
