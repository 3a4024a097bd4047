package org.weft.osd.store;

import java.util.List;
import java.util.OptionalLong;

/**
 * The progress of a scrubber, which it stores for the next start.
 *
 * @param startedMillis when the pass began, by the wall clock
 * @param place how far it has come
 * @param passBytes read in this pass
 * @param fullPassMillis when the last whole pass ended
 * @param bad blocks that were found and are bad still, at most {@value #MAX_BAD}
 * @param moreBad there were more
 */
public record ScrubNotes(
    long startedMillis,
    MediumPlace place,
    long passBytes,
    OptionalLong fullPassMillis,
    List<BadBlock> bad,
    boolean moreBad) {
  public static final int MAX_BAD = 1_000;

  public ScrubNotes {
    bad = List.copyOf(bad);
  }

  /** A first pass begins. */
  public static ScrubNotes first(long nowMillis) {
    return new ScrubNotes(nowMillis, MediumPlace.START, 0, OptionalLong.empty(), List.of(), false);
  }

  /** The next pass begins; what was bad is bad. */
  public ScrubNotes nextPass(long nowMillis) {
    return new ScrubNotes(nowMillis, MediumPlace.START, 0, fullPassMillis, bad, false);
  }

  /** From the beginning, though nothing was read to its end; what was bad is bad. */
  public ScrubNotes again(long nowMillis) {
    return new ScrubNotes(nowMillis, MediumPlace.START, 0, fullPassMillis, bad, moreBad);
  }

  /** With these bad blocks, no more than fit. */
  public ScrubNotes withBad(List<BadBlock> now, boolean more) {
    boolean fit = now.size() <= MAX_BAD;
    return new ScrubNotes(
        startedMillis,
        place,
        passBytes,
        fullPassMillis,
        fit ? now : now.subList(0, MAX_BAD),
        more || !fit);
  }

  /** The pass has come this far. */
  public ScrubNotes reached(MediumPlace next, long bytes) {
    return new ScrubNotes(startedMillis, next, passBytes + bytes, fullPassMillis, bad, moreBad);
  }

  /** The pass is over. */
  public ScrubNotes ended(long nowMillis, long bytes) {
    return new ScrubNotes(
        startedMillis,
        MediumPlace.START,
        passBytes + bytes,
        OptionalLong.of(nowMillis),
        bad,
        moreBad);
  }
}
