package org.weft.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What came of the run so far; what happens is written to a file, too, with the monotonic clock of
 * the logs. Confined to the runner's thread.
 */
final class SoakTally implements LogTail.Listener {
  /** A fault, from its first to its last moment; times of the monotonic clock. */
  record Fault(SoakFault kind, String victim, long beginNanos, long endNanos) {}

  /** SysMgr sent no message to these clients, nor to a manager that they reached. */
  record Silence(long beginNanos, long endNanos, Set<Integer> clients) {
    Silence {
      clients = Set.copyOf(clients);
    }
  }

  private final List<LogTail.Acknowledgement> acknowledgements = new ArrayList<>();
  private final Map<SoakOp.Kind, Long> acknowledged = new EnumMap<>(SoakOp.Kind.class);
  private final Map<SoakOp.Kind, Long> failed = new EnumMap<>(SoakOp.Kind.class);
  private final List<Fault> faults = new ArrayList<>();
  private final List<Silence> silences = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private long filesVerified;
  private long bytesVerified;
  private int verifications;
  private SoakReport.Redundancy redundancy = SoakReport.Redundancy.UNKNOWN;
  private final Path events;

  SoakTally(Path events) {
    this.events = events;
  }

  void event(String what) {
    try {
      Files.writeString(
          events,
          "%d %s%n".formatted(System.nanoTime(), what),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("the events cannot be kept", e);
    }
  }

  @Override
  public void acknowledged(LogTail.Acknowledgement acknowledgement) {
    acknowledgements.add(acknowledgement);
    acknowledged.merge(acknowledgement.operation().kind(), 1L, Long::sum);
  }

  @Override
  public void failed(SoakOp operation, String why) {
    failed.merge(operation.kind(), 1L, Long::sum);
  }

  @Override
  public void bad(String what) {
    violation("beside its writer: " + what);
  }

  void violation(String what) {
    violations.add(what);
    event("VIOLATION " + what);
  }

  void fault(SoakFault kind, String victim, long beginNanos) {
    faults.add(new Fault(kind, victim, beginNanos, System.nanoTime()));
    event(kind + " " + victim + " from " + beginNanos);
  }

  void silence(long beginNanos, Set<Integer> clients) {
    silences.add(new Silence(beginNanos, System.nanoTime(), clients));
  }

  void verified(long bytes) {
    filesVerified++;
    bytesVerified += bytes;
  }

  void verification() {
    verifications++;
  }

  /** A disk was to be removed, and stays: a file lacks a component already. */
  void diskKept() {
    redundancy = redundancy.anotherDiskKept();
    event("no disk is removed: a file lacks a component still");
  }

  /** At the end no file lacks a component. */
  void whole(long afterNanos) {
    redundancy = redundancy.whole(afterNanos);
  }

  /** At the end so much was compared while an OSD was away. */
  void degraded(long files, long bytes) {
    redundancy = redundancy.degraded(files, bytes);
  }

  SoakReport.Redundancy redundancy() {
    return redundancy;
  }

  int count() {
    return acknowledgements.size();
  }

  List<LogTail.Acknowledgement> acknowledgements() {
    return acknowledgements;
  }

  Map<SoakOp.Kind, Long> acknowledged() {
    return acknowledged;
  }

  Map<SoakOp.Kind, Long> failed() {
    return failed;
  }

  List<Fault> faults() {
    return faults;
  }

  List<Silence> silences() {
    return silences;
  }

  List<String> violations() {
    return violations;
  }

  boolean isSound() {
    return violations.isEmpty();
  }

  long filesVerified() {
    return filesVerified;
  }

  long bytesVerified() {
    return bytesVerified;
  }

  int verifications() {
    return verifications;
  }
}
