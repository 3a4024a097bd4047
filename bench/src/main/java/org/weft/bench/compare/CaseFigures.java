package org.weft.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.bench.summary.RunSummary;

/**
 * The figures of cases as {@code summary.json} has them: rates, latencies, and CPU in all and of
 * each kind of process. The subject also has ratios to each peer whose clients are where its own
 * are.
 */
public final class CaseFigures {
  private static final List<String> LATENCIES = List.of("p50Millis", "p99Millis", "maxMillis");

  private final RunSummary summary = new RunSummary();
  private final Set<List<String>> seen = new HashSet<>();

  private CaseFigures() {}

  /** Writes {@code summary.json} into the directory of a run. */
  public static void write(List<CaseResult> cases, Path directory) throws IOException {
    CaseFigures figures = new CaseFigures();
    cases.forEach(figures::add);
    figures.summary.write(directory);
  }

  private void add(CaseResult result) {
    result
        .failures()
        .forEach((label, why) -> summary.failed(label + " at " + result.name() + ": " + why));
    for (String label : result.labels()) {
      // A plan may measure a case again, to show what has been compiled meanwhile.
      boolean isFirst = seen.add(List.of(result.name(), label));
      add(result, isFirst ? result.name() : result.name() + ", again", label);
    }
  }

  private void add(CaseResult result, String name, String label) {
    String cpuUnit = result.text(label, "cpuUnit");
    summary.add(name, label, "rate", result.text(label, "unit"), result.values(label, "rate"));
    summary.add(name, label, "cpuCost", cpuUnit, result.values(label, "cpuCost"));
    result
        .costsOfRepetitions(label)
        .forEach((kind, values) -> summary.add(name, label, "cpuCost of " + kind, cpuUnit, values));
    for (String figure : LATENCIES) {
      summary.add(name, label, figure, RunSummary.unitOf(figure), result.values(label, figure));
    }
    String own = result.ownBeside(label);
    if (!label.equals(own) && result.measured(own)) {
      for (String figure : List.of("rate", "cpuCost")) {
        String over = "%s over that of %s".formatted(figure, label);
        summary.add(name, own, over, RunSummary.RATIO, result.ratios(own, label, figure));
      }
    }
  }
}
