package org.weft.osd.store.space;

import java.util.List;

/**
 * The allocator's answer to a demand.
 *
 * @param ranges in the order in which the bytes go to them; empty unless granted
 */
public record Allocation(Verdict verdict, List<BlockRange> ranges) {
  /** What to do. */
  public enum Verdict {
    GRANTED,
    /** Not now, but segments can grow first. */
    GROW,
    /** Not unless something is freed. */
    FULL
  }

  static Allocation granted(List<BlockRange> ranges) {
    return new Allocation(Verdict.GRANTED, List.copyOf(ranges));
  }

  static Allocation refused(Verdict verdict) {
    return new Allocation(verdict, List.of());
  }
}
