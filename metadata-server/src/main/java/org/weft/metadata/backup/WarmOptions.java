package org.weft.metadata.backup;

/**
 * How a manager keeps the live state of volumes warm that it backs (P 6.3a).
 *
 * @param mostBytes of records that are kept in memory for all its copies together, counted as they
 *     stand in the journal: those that wait to be applied, and those that redo would need. A copy
 *     that needs more is left cold. Decoded they take several times as much
 * @param compared each warm state is compared with its journal before it is taken over, which takes
 *     as long as to read it: for tests
 */
public record WarmOptions(long mostBytes, boolean compared) {
  public static final WarmOptions DEFAULT = new WarmOptions(32L << 20, false);

  /** The same with each warm state compared when it is taken over. */
  public WarmOptions comparing() {
    return new WarmOptions(mostBytes, true);
  }
}
