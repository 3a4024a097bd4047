package org.weft.client.stripe.check;

import java.util.List;

/**
 * The result of checking a file's parity.
 *
 * @param eofBytes length of the file, the largest that a component knows since the newest
 *     truncation
 * @param stripes looked at
 * @param isEnd there are no stripes behind those
 * @param wrongUnits parities and copies that do not belong to the data, units that hold something
 *     behind the end of the file, and units with damaged blocks
 * @param damagedUnits of these, units with blocks that the OSD does not give back as they were
 *     written. A stripe with a damaged data unit is not compared
 * @param contradicted stripes in which units that are all readable do not belong together, in
 *     ascending order, at most {@link #MAX_CONTRADICTED}
 */
public record ParityReport(
    long eofBytes,
    long stripes,
    boolean isEnd,
    long wrongUnits,
    long damagedUnits,
    List<Long> contradicted) {
  public static final int MAX_CONTRADICTED = 1_000;

  /** Nothing was there to look at. */
  public static final ParityReport NOTHING = new ParityReport(0, 0, true, 0, 0, List.of());

  public ParityReport {
    contradicted = List.copyOf(contradicted);
  }

  /** Units that can all be read, and do not belong to the others of their stripes. */
  public long contradictingUnits() {
    return wrongUnits - damagedUnits;
  }
}
