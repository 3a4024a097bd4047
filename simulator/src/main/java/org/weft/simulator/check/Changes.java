package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A register that changes overwrite one after another or at once. A reader finds what the latest
 * change left that was complete before the read. It may also find a change that could have come
 * later. That is one under way at that time, one of unknown outcome, or one that only such changes
 * overwrote.
 */
final class Changes {
  private final List<ContentChange> all = new ArrayList<>();

  void add(ContentChange change) {
    all.add(change);
  }

  List<ContentChange> all() {
    return all;
  }

  /** Those that touch a range, and that a read between two moments may find there. */
  List<ContentChange> visible(long from, long to, long start, long end) {
    return visible(
        change -> change.from < to && from < change.to,
        later -> later.from <= from && later.to >= to,
        start,
        end);
  }

  /** Those that a read may find, where each overwrites all of the others. */
  List<ContentChange> visible(long start, long end) {
    return visible(change -> true, later -> true, start, end);
  }

  private List<ContentChange> visible(
      Predicate<ContentChange> touches, Predicate<ContentChange> covers, long start, long end) {
    List<ContentChange> touching =
        all.stream()
            .filter(change -> change.start < end && start <= change.goneFrom)
            .filter(touches)
            .toList();
    List<ContentChange> covering =
        touching.stream().filter(later -> covers.test(later) && later.holds(start, end)).toList();
    long latest = covering.stream().mapToLong(later -> later.start).max().orElse(-1);
    // Overwritten by one that began after its end is overwritten by the one that began last.
    return touching.stream().filter(change -> change.end >= latest).toList();
  }

  /** What was asked for before, and has an unknown outcome, is done or not by now. */
  void settle(long moment) {
    for (ContentChange change : all) {
      if (change.start < moment) {
        change.settled(moment - 1);
      }
    }
  }
}
