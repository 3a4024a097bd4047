package org.weft.simulator.run;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.simulator.check.BrokenRule;

/** Sums over seeds. Thread-safe. */
final class SeedTally {
  private final SortedMap<String, Integer> faults = new TreeMap<>();
  private final SortedMap<String, Integer> violations = new TreeMap<>();
  private final SortedMap<String, Integer> seedsByIntensity = new TreeMap<>();
  private final SortedMap<Profile, Integer> seedsByProfile = new TreeMap<>();
  private final SortedMap<Profile, Integer> violatedTurns = new TreeMap<>();
  private final List<String> replays = new ArrayList<>();
  private long seeds;
  private long violated;
  private long operations;
  private long undecided;
  private long doubted;
  private long virtualMillis;
  private long events;

  synchronized void add(Turn turn, SeedOutcome outcome) {
    seedsByProfile.merge(turn.profile(), 1, Integer::sum);
    if (!outcome.findings().isEmpty()) {
      violatedTurns.merge(turn.profile(), 1, Integer::sum);
      replays.add(turn.replay());
    }
    seeds++;
    operations += outcome.operations();
    undecided += outcome.undecided();
    doubted += outcome.doubted();
    virtualMillis += outcome.virtualMillis();
    events += outcome.events();
    seedsByIntensity.merge(outcome.intensity().word(), 1, Integer::sum);
    outcome.faults().forEach((kind, count) -> faults.merge(kind, count, Integer::sum));
    if (!outcome.findings().isEmpty()) {
      violated++;
    }
    for (BrokenRule finding : outcome.findings()) {
      violations.merge(finding.rule(), 1, Integer::sum);
    }
  }

  /** Some class threw what it never should, in whatever seed. */
  synchronized void mistake() {
    violations.merge("a mistake was thrown", 1, Integer::sum);
  }

  synchronized boolean isSound() {
    return violations.isEmpty();
  }

  synchronized long violated() {
    return violated;
  }

  private int faultCount() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** One line. */
  synchronized String progress(double seconds) {
    return "%,d seeds (%.1f/s), %,d operations, %,d faults, %,d seeds with violations"
        .formatted(seeds, seeds / Math.max(0.001, seconds), operations, faultCount(), violated);
  }

  /** A table. */
  synchronized String summary(double seconds) {
    StringBuilder text = new StringBuilder();
    line(text, "seeds", seeds);
    if (seedsByProfile.size() > 1) {
      seedsByProfile.forEach((profile, count) -> text.append(line(profile, count)));
    }
    seedsByIntensity.forEach((word, count) -> line(text, "  faults: " + word, count));
    text.append("%-40s %15.1f%n".formatted("seconds", seconds));
    text.append("%-40s %15.2f%n".formatted("seeds per second", seeds / Math.max(0.001, seconds)));
    line(text, "operations of clients", operations);
    line(text, "virtual seconds", virtualMillis / 1000);
    line(text, "events", events);
    line(text, "faults", faultCount());
    faults.forEach((kind, count) -> line(text, "  " + kind, count));
    line(text, "seeds with power loss past the promise", doubted);
    line(text, "histories too long to decide", undecided);
    line(text, "seeds with violations", violated);
    violations.forEach((rule, count) -> line(text, "  " + rule, count));
    if (!replays.isEmpty()) {
      text.append("again with\n");
      replays.forEach(replay -> text.append("  ").append(replay).append('\n'));
    }
    return text.toString();
  }

  private String line(Profile profile, int count) {
    int violatedSeeds = violatedTurns.getOrDefault(profile, 0);
    return "%-40s %,15d%s%n"
        .formatted(
            "  profile: " + profile.word(),
            count,
            violatedSeeds == 0 ? "" : ", " + violatedSeeds + " with violations");
  }

  private static void line(StringBuilder text, String what, long count) {
    text.append("%-40s %,15d%n".formatted(what, count));
  }

  synchronized String json(SimulateOptions options, double seconds) {
    return "{\"profile\":\"%s\",\"seeds\":%d,\"seconds\":%.1f,\"operations\":%d,"
            .formatted(options.word(), seeds, seconds, operations)
        + "\"events\":%d,\"virtualMillis\":%d,\"faults\":%s,\"undecided\":%d,\"doubted\":%d,"
            .formatted(events, virtualMillis, json(faults), undecided, doubted)
        + "\"profiles\":%s,".formatted(json(byWord(seedsByProfile)))
        + "\"seedsWithViolations\":%d,\"violations\":%s,\"replays\":%s}"
            .formatted(violated, json(violations), jsonList(replays));
  }

  private static SortedMap<String, Integer> byWord(SortedMap<Profile, Integer> counts) {
    SortedMap<String, Integer> byWord = new TreeMap<>();
    counts.forEach((profile, count) -> byWord.put(profile.word(), count));
    return byWord;
  }

  private static String jsonList(List<String> texts) {
    return texts.isEmpty() ? "[]" : "[\"" + String.join("\",\"", texts) + "\"]";
  }

  private static String json(SortedMap<String, Integer> counts) {
    StringBuilder text = new StringBuilder("{");
    counts.forEach(
        (key, count) ->
            text.append(text.length() > 1 ? "," : "")
                .append('"')
                .append(key.replace("\"", "'"))
                .append("\":")
                .append(count));
    return text.append('}').toString();
  }
}
