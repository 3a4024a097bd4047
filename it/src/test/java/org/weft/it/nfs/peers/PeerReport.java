package org.weft.it.nfs.peers;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What became of each check. Not thread-safe. */
final class PeerReport {
  private enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  private record Row(PeerCheck check, Outcome outcome, String why) {}

  private final List<Row> rows = new ArrayList<>();

  /** Why it cannot be played on this host. */
  static Optional<String> missing(PeerCheck check) {
    return check.programs().stream()
        .filter(program -> PeerPrograms.find(program).isEmpty())
        .findFirst()
        .map(program -> program + " is not installed");
  }

  void play(PeerCheck check) {
    Optional<String> missing = missing(check);
    if (missing.isPresent()) {
      skip(check, missing.get());
      return;
    }
    try {
      check.body().run();
      add(check, Outcome.PASSED, "");
    } catch (Exception | AssertionError e) {
      // The other checks are played, too; the report has this one as failed.
      add(check, Outcome.FAILED, e.toString());
    }
  }

  void skip(PeerCheck check, String why) {
    add(check, Outcome.SKIPPED, why);
  }

  private void add(PeerCheck check, Outcome outcome, String why) {
    rows.add(new Row(check, outcome, why));
  }

  private long count(Outcome outcome) {
    return rows.stream().filter(row -> row.outcome() == outcome).count();
  }

  /** Something was played, and nothing failed. */
  boolean isSound() {
    return count(Outcome.FAILED) == 0 && count(Outcome.PASSED) > 0;
  }

  void print(PrintStream out) {
    for (Row row : rows) {
      out.printf(
          "%-8s %-9s %s%s%n",
          row.outcome().name().toLowerCase(Locale.ROOT),
          row.check().peer(),
          row.check().what(),
          row.why().isEmpty() ? "" : " (" + row.why() + ")");
    }
    out.printf(
        "%d passed, %d failed, %d skipped%n",
        count(Outcome.PASSED), count(Outcome.FAILED), count(Outcome.SKIPPED));
  }

  /** Under the names of the JSON output. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("passed", count(Outcome.PASSED));
    fields.put("failed", count(Outcome.FAILED));
    fields.put("skipped", count(Outcome.SKIPPED));
    List<Map<String, String>> checks = new ArrayList<>();
    for (Row row : rows) {
      Map<String, String> each = new LinkedHashMap<>();
      each.put("peer", row.check().peer());
      each.put("what", row.check().what());
      each.put("outcome", row.outcome().name().toLowerCase(Locale.ROOT));
      each.put("why", row.why());
      checks.add(each);
    }
    fields.put("checks", checks);
    return fields;
  }
}
