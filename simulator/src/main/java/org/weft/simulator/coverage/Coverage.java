package org.weft.simulator.coverage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What rows and rules came to after seeds have run. */
public final class Coverage {
  private final List<RuleRow> rows;
  private final SortedSet<String> rules;

  private Coverage(List<RuleRow> rows, SortedSet<String> rules) {
    this.rows = rows;
    this.rules = rules;
  }

  /** Begins to count, in classes that {@link #loader} gives. */
  public static Coverage begin(Path home) throws IOException {
    Coverage coverage = new Coverage(RuleTable.read(home), RuleTable.rules(home));
    Hits.begin();
    return coverage;
  }

  /** Gives Weft's classes as they are counted. */
  public ClassLoader loader() {
    return new CountingLoader(rows, Coverage.class.getClassLoader());
  }

  private Map<String, Long> hitsByRule() {
    Map<String, Long> hits = new TreeMap<>();
    rules.forEach(rule -> hits.put(rule, 0L));
    for (int row = 0; row < rows.size(); row++) {
      hits.merge(rows.get(row).rule(), Hits.of(row), Long::sum);
    }
    return hits;
  }

  /** Rules of which nothing was ever decided. */
  public SortedSet<String> unreached() {
    SortedSet<String> unreached = new TreeSet<>();
    hitsByRule()
        .forEach(
            (rule, hits) -> {
              if (hits == 0) {
                unreached.add(rule);
              }
            });
    return unreached;
  }

  /** A table: each rule, and each place that keeps it. */
  public String table() {
    StringBuilder text = new StringBuilder();
    hitsByRule()
        .forEach(
            (rule, hits) -> {
              text.append("%-4s %,14d%s%n".formatted(rule, hits, hits == 0 ? "  NEVER" : ""));
              for (int row = 0; row < rows.size(); row++) {
                if (rows.get(row).rule().equals(rule)) {
                  text.append(line(row));
                }
              }
            });
    return text.toString();
  }

  private String line(int number) {
    RuleRow row = rows.get(number);
    long hits = Hits.of(number);
    return "     %,14d  %s (%s:%d)%s%n"
        .formatted(hits, row.meaning(), row.simpleName(), row.line(), hits == 0 ? "  never" : "");
  }

  /** One line of JSON. */
  public String json() {
    StringBuilder text = new StringBuilder("{\"rules\":{");
    hitsByRule()
        .forEach(
            (rule, hits) ->
                text.append(text.charAt(text.length() - 1) == '{' ? "" : ",")
                    .append("\"%s\":%d".formatted(rule, hits)));
    text.append("},\"places\":[");
    for (int number = 0; number < rows.size(); number++) {
      RuleRow row = rows.get(number);
      text.append(number == 0 ? "" : ",")
          .append(
              "{\"rule\":\"%s\",\"class\":\"%s\",\"line\":%d,\"what\":\"%s\",\"hits\":%d}"
                  .formatted(
                      row.rule(), row.className(), row.line(), row.meaning(), Hits.of(number)));
    }
    return text.append("]}").toString();
  }
}
