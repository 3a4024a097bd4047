package org.weft.it.nfs;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a run.
 *
 * @param counts how often each thing was done, by its name
 * @param wrong what a program was given that it must not be given
 */
record NfsKillsReport(long seed, long seconds, Map<String, Long> counts, List<String> wrong) {
  NfsKillsReport {
    counts = Map.copyOf(counts);
    wrong = List.copyOf(wrong);
  }

  boolean isSound() {
    return wrong.isEmpty();
  }

  /** For a program. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("seed", seed);
    fields.put("seconds", seconds);
    fields.put("counts", new java.util.TreeMap<>(counts));
    fields.put("wrong", wrong);
    return fields;
  }

  /** For a person. */
  void print(PrintStream out) {
    out.println("seed " + seed + ", " + seconds + " s");
    new java.util.TreeMap<>(counts)
        .forEach((what, many) -> out.println("%,16d  %s".formatted(many, what)));
    if (isSound()) {
      out.println("No program saw an error, and every byte and name is right.");
    } else {
      wrong.forEach(each -> out.println("WRONG: " + each));
    }
  }
}
