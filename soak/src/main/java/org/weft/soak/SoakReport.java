package org.weft.soak;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The operations and the findings of a soak.
 *
 * @param faults by kind
 * @param acknowledged operations by kind
 * @param failed operations of which their clients do not know whether they happened
 * @param bytesVerified read by fresh clients and compared
 * @param bytesReadBeside read by clients beside the writers and compared
 * @param longestMillis by client: of its operations the one that took longest, but for those of
 *     files taken and of its own freezes
 * @param taken files that were taken from clients that were killed or frozen
 * @param redundancy whether every file bears another loss at the end
 * @param violations what must not be
 */
public record SoakReport(
    SoakOptions options,
    long millis,
    Map<SoakFault, FaultSummary> faults,
    Map<SoakOp.Kind, Long> acknowledged,
    Map<SoakOp.Kind, Long> failed,
    int verifications,
    long filesVerified,
    long bytesVerified,
    long bytesReadBeside,
    Map<Integer, Long> longestMillis,
    int taken,
    Redundancy redundancy,
    List<String> violations) {

  /**
   * One kind of fault.
   *
   * @param longestGapMillis longest time in which no client was acknowledged anything, from such a
   *     fault on until the next one
   * @param longestReturnMillis longest time from the end of such a fault until each client was
   *     acknowledged something again. If a client never was, the time runs until the last
   *     acknowledgement of all
   */
  record FaultSummary(int count, long longestGapMillis, long longestReturnMillis) {
    private FaultSummary and(FaultSummary other) {
      return new FaultSummary(
          count + other.count,
          Math.max(longestGapMillis, other.longestGapMillis),
          Math.max(longestReturnMillis, other.longestReturnMillis));
    }
  }

  /**
   * Whether every file bears another loss at the end.
   *
   * @param millisUntilWhole from the last verification until no file lacked a component; negative:
   *     it did not come to that
   * @param degradedFiles that were compared while an OSD was away
   * @param degradedBytes of them
   * @param disksKept how often no disk was removed, because a file lacked a component for minutes
   */
  record Redundancy(long millisUntilWhole, long degradedFiles, long degradedBytes, int disksKept) {
    static final Redundancy UNKNOWN = new Redundancy(-1, 0, 0, 0);

    Redundancy whole(long afterNanos) {
      return new Redundancy(
          TimeUnit.NANOSECONDS.toMillis(afterNanos), degradedFiles, degradedBytes, disksKept);
    }

    Redundancy degraded(long files, long bytes) {
      return new Redundancy(millisUntilWhole, files, bytes, disksKept);
    }

    Redundancy anotherDiskKept() {
      return new Redundancy(millisUntilWhole, degradedFiles, degradedBytes, disksKept + 1);
    }

    private void print(PrintStream out) {
      if (millisUntilWhole >= 0) {
        out.printf(
            "full redundancy %.1f s after the last verification; %d files, %d bytes compared"
                + " without one OSD%n",
            millisUntilWhole / 1_000.0, degradedFiles, degradedBytes);
      } else {
        out.println("full redundancy was not reached, or not waited for");
      }
      if (disksKept > 0) {
        out.printf("disks that were not removed, for a file lacked a component: %d%n", disksKept);
      }
    }
  }

  static SoakReport of(SoakOptions options, SoakTally tally, int taken, long nanos) {
    long beside =
        tally.acknowledgements().stream()
            .filter(answer -> answer.operation().kind() == SoakOp.Kind.READ)
            .mapToLong(LogTail.Acknowledgement::bytes)
            .sum();
    return new SoakReport(
        options,
        TimeUnit.NANOSECONDS.toMillis(nanos),
        summaries(tally),
        tally.acknowledged(),
        tally.failed(),
        tally.verifications(),
        tally.filesVerified(),
        tally.bytesVerified(),
        beside,
        longest(tally),
        taken,
        tally.redundancy(),
        List.copyOf(tally.violations()));
  }

  private static Map<Integer, Long> longest(SoakTally tally) {
    Map<Integer, Long> longest = new TreeMap<>();
    for (LogTail.Acknowledgement answer : tally.acknowledgements()) {
      int client = SoakClient.clientOf(answer.operation().number());
      if (answer.operation().kind() != SoakOp.Kind.TAKE && !frozen(tally, client, answer)) {
        longest.merge(
            client,
            TimeUnit.NANOSECONDS.toMillis(answer.doneNanos() - answer.begunNanos()),
            Math::max);
      }
    }
    return longest;
  }

  private static boolean frozen(SoakTally tally, int client, LogTail.Acknowledgement answer) {
    return tally.faults().stream()
        .filter(fault -> fault.victim().equals(LogName.client(client)))
        .anyMatch(
            fault ->
                fault.beginNanos() - answer.doneNanos() < 0
                    && fault.endNanos() - answer.begunNanos() > 0);
  }

  private static Map<SoakFault, FaultSummary> summaries(SoakTally tally) {
    long[] answers =
        tally.acknowledgements().stream()
            .mapToLong(LogTail.Acknowledgement::doneNanos)
            .sorted()
            .toArray();
    Map<SoakFault, FaultSummary> summaries = new EnumMap<>(SoakFault.class);
    List<SoakTally.Fault> faults = new ArrayList<>(tally.faults());
    faults.sort((left, right) -> Long.compare(left.beginNanos(), right.beginNanos()));
    for (int i = 0; i < faults.size(); i++) {
      SoakTally.Fault fault = faults.get(i);
      long untilNanos =
          i + 1 < faults.size()
              ? Math.max(faults.get(i + 1).beginNanos(), fault.endNanos())
              : Long.MAX_VALUE;
      long gapMillis =
          TimeUnit.NANOSECONDS.toMillis(longestGap(answers, fault.beginNanos(), untilNanos));
      summaries.merge(
          fault.kind(),
          new FaultSummary(1, gapMillis, longestReturnMillis(tally, fault)),
          FaultSummary::and);
    }
    return summaries;
  }

  private static long longestReturnMillis(SoakTally tally, SoakTally.Fault fault) {
    Map<Integer, Long> first = new TreeMap<>();
    Set<Integer> clients = new TreeSet<>();
    long lastNanos = 0;
    for (LogTail.Acknowledgement answer : tally.acknowledgements()) {
      int client = SoakClient.clientOf(answer.operation().number());
      long afterNanos = answer.doneNanos() - fault.endNanos();
      clients.add(client);
      lastNanos = Math.max(lastNanos, afterNanos);
      if (afterNanos > 0) {
        first.merge(client, afterNanos, Math::min);
      }
    }
    long longestNanos =
        !first.isEmpty() && first.keySet().containsAll(clients)
            ? Collections.max(first.values())
            : lastNanos;
    return TimeUnit.NANOSECONDS.toMillis(longestNanos);
  }

  private static long longestGap(long[] sorted, long fromNanos, long untilNanos) {
    long longest = 0;
    long last = fromNanos;
    for (long answer : sorted) {
      if (answer > fromNanos && last < untilNanos) {
        longest = Math.max(longest, Math.min(answer, untilNanos) - last);
        last = answer;
      }
    }
    return longest;
  }

  boolean isSound() {
    return violations.isEmpty();
  }

  public long operations() {
    return acknowledged.values().stream().mapToLong(Long::longValue).sum();
  }

  int kills() {
    return count(SoakFault::isKill);
  }

  int freezes() {
    return count(SoakFault::isFreeze);
  }

  int cuts() {
    return count(SoakFault::needsNetwork);
  }

  private int count(Predicate<SoakFault> rule) {
    return faults.entrySet().stream()
        .filter(entry -> rule.test(entry.getKey()))
        .mapToInt(entry -> entry.getValue().count())
        .sum();
  }

  /** The summary for people. */
  public void print(PrintStream out) {
    out.printf(
        "%.1f minutes, seed %d, %d members of SysMgr, %d managers, %d OSDs, %d clients of %d threads;"
            + " %d kills, %d freezes, %d cuts of the network%n",
        millis / 60_000.0,
        options.seed(),
        options.members(),
        options.managers(),
        options.osds(),
        options.clients(),
        SoakClient.LANES,
        kills(),
        freezes(),
        cuts());
    out.printf(
        "%n%-58s %6s  %s  %s%n",
        "fault", "times", "longest without progress", "until all clients went on");
    faults.forEach(
        (kind, summary) ->
            out.printf(
                "%-58s %6d  %22.1f s  %22.1f s%n",
                kind.text(),
                summary.count(),
                summary.longestGapMillis() / 1_000.0,
                summary.longestReturnMillis() / 1_000.0));
    out.printf("%n%-20s %12s %8s%n", "operation", "acknowledged", "failed");
    for (SoakOp.Kind kind : SoakOp.Kind.values()) {
      out.printf(
          "%-20s %12d %8d%n",
          kind, acknowledged.getOrDefault(kind, 0L), failed.getOrDefault(kind, 0L));
    }
    out.printf(
        "%n%d verifications by fresh clients: %d files, %d bytes; read beside writers: %d bytes%n",
        verifications, filesVerified, bytesVerified, bytesReadBeside);
    longestMillis.forEach(
        (client, millis) ->
            out.printf("client %d: its longest operation took %.1f s%n", client, millis / 1_000.0));
    out.printf("files taken from dead or frozen clients: %d%n", taken);
    redundancy.print(out);
    out.printf("violations: %d%n", violations.size());
    violations.forEach(violation -> out.println("  " + violation));
  }

  /** The same for machines. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("minutes", millis / 60_000.0);
    fields.put("seed", options.seed());
    fields.put("sysmgrs", options.members());
    fields.put("managers", options.managers());
    fields.put("osds", options.osds());
    fields.put("clients", options.clients());
    fields.put("directory", options.directory().toString());
    fields.put("kills", kills());
    fields.put("freezes", freezes());
    fields.put("cuts", cuts());
    fields.put("faults", faults);
    fields.put("acknowledged", acknowledged);
    fields.put("failed", failed);
    fields.put("verifications", verifications);
    fields.put("filesVerified", filesVerified);
    fields.put("bytesVerified", bytesVerified);
    fields.put("bytesReadBeside", bytesReadBeside);
    fields.put("longestMillis", longestMillis);
    fields.put("taken", taken);
    fields.put("redundancy", redundancy);
    fields.put("violations", violations);
    return fields;
  }
}
