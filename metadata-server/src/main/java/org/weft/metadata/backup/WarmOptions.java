package org.weft.metadata.backup;

import java.util.Optional;

/**
 * How a manager keeps the live state of volumes warm that it backs (P 6.3a).
 *
 * @param mostBytes of records that are kept in memory for all its copies together, counted as they
 *     stand in the journal. They are those that wait to be applied, and those that redo would need.
 *     A copy that needs more is left cold. Decoded they take several times as much
 * @param check for tests: compares each warm state with its journal before it is taken over, which
 *     takes as long as to read the journal. Then it compares the volumes that are made of them
 */
public record WarmOptions(long mostBytes, Optional<WarmCheck> check) {
  public static final WarmOptions DEFAULT = new WarmOptions(32L << 20, Optional.empty());

  /** The same with each warm state compared when it is taken over. */
  public WarmOptions comparing(WarmCheck how) {
    return new WarmOptions(mostBytes, Optional.of(how));
  }
}
