package org.weft.it.stall;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Milliseconds of many rounds, by what was done in each. */
final class Figures {
  /** A stall belongs to the first of these that is not less than it. */
  private static final long[] BOUNDS_MILLIS = {
    10, 50, 100, 250, 500, 1_000, 2_000, 2_500, 3_000, 4_000, 5_000, 10_000
  };

  private static final int MAX_MARKS = 40;

  private final Map<String, List<Long>> millisByEvent = new LinkedHashMap<>();

  void add(String event, long millis) {
    millisByEvent.computeIfAbsent(event, first -> new ArrayList<>()).add(millis);
  }

  /**
   * Each event in a line with least, median and most, and below it how many rounds took how long.
   */
  String text() {
    return millisByEvent.entrySet().stream()
        .map(each -> text(each.getKey(), each.getValue().stream().sorted().toList()))
        .collect(Collectors.joining("\n"));
  }

  private static String text(String event, List<Long> sorted) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s: %d rounds, least %d ms, median %d ms, most %d ms: %s"
            .formatted(
                event,
                sorted.size(),
                sorted.get(0),
                sorted.get(sorted.size() / 2),
                sorted.get(sorted.size() - 1),
                sorted.stream().map(String::valueOf).collect(Collectors.joining(" "))));
    long above = -1;
    for (long bound : BOUNDS_MILLIS) {
      text.append(row("<= " + bound, above, bound, sorted));
      above = bound;
    }
    return text.append(row("longer", above, Long.MAX_VALUE, sorted)).toString();
  }

  private static String row(String label, long above, long most, List<Long> sorted) {
    int count = (int) sorted.stream().filter(each -> each > above && each <= most).count();
    return count == 0
        ? ""
        : "%n  %9s ms %4d %s".formatted(label, count, "#".repeat(Math.min(MAX_MARKS, count)));
  }
}
