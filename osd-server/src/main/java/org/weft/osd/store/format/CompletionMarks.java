package org.weft.osd.store.format;

import java.util.ArrayList;
import java.util.List;

/**
 * For each live grant on an object, up to which sequence number its writes are complete (P 5.4).
 * Immutable; ascending by grant as unsigned numbers.
 */
public record CompletionMarks(List<Mark> marks) {
  /** More live grants on one object are refused. */
  public static final int MAX_GRANTS = 1024;

  public static final CompletionMarks NONE = new CompletionMarks(List.of());

  /** Every write of the grant up to this number is complete. */
  public record Mark(long grant, long upTo) {}

  public CompletionMarks {
    marks = List.copyOf(marks);
  }

  /** 0 where nothing is known of the grant. */
  public long upTo(long grant) {
    for (Mark mark : marks) {
      if (mark.grant() == grant) {
        return mark.upTo();
      }
    }
    return 0;
  }

  /** With the grant's mark raised; never lowers one. */
  public CompletionMarks with(long grant, long upTo) {
    if (Long.compareUnsigned(upTo, upTo(grant)) <= 0) {
      return this;
    }
    List<Mark> next = new ArrayList<>(marks.size() + 1);
    int place = 0;
    for (Mark mark : marks) {
      int order = Long.compareUnsigned(mark.grant(), grant);
      if (order < 0) {
        place++;
      }
      if (order != 0) {
        next.add(mark);
      }
    }
    next.add(place, new Mark(grant, upTo));
    return new CompletionMarks(next);
  }

  /** Without grants below this: their writes are resolved. */
  public CompletionMarks since(long floor) {
    int gone = 0;
    while (gone < marks.size() && Long.compareUnsigned(marks.get(gone).grant(), floor) < 0) {
      gone++;
    }
    return gone == 0 ? this : new CompletionMarks(marks.subList(gone, marks.size()));
  }
}
