package org.weft.metadata.check;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.stripe.check.ParityReport;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.ObjectId;

/**
 * Compares the parity of files with their data, one file after another (P 6.8d). Files that are not
 * at rest are looked at again at the end. A file whose truncation waits for its next writer then
 * counts as written. So does every file that a writer left where no manager serves the volume,
 * since such files stay so. Other files are named. On the volume's thread.
 */
final class ParityLook {
  private static final int MAX_LATER = 1_000;

  private final CheckedVolume volume;
  private final ParityComparison comparison;
  private final SecondLook second;
  private final FindingList findings;
  private final CheckProgress progress;
  private final Steps steps;

  /** Files that wait, each with whether it counts as written already. */
  private final Map<ObjectId, Boolean> later = new LinkedHashMap<>();

  /** The same of those that are looked at again. */
  private final Map<ObjectId, Boolean> counted = new HashMap<>();

  private boolean isLast;

  ParityLook(
      CheckedVolume volume,
      Steps steps,
      SecondLook second,
      FindingList findings,
      CheckProgress progress) {
    this.steps = steps;
    this.volume = volume;
    this.comparison = new ParityComparison(volume, steps);
    this.second = second;
    this.findings = findings;
    this.progress = progress;
  }

  /** Files with nothing to compare are passed over. */
  CompletionStage<Void> look(NodeState state) {
    Optional<Attributes> file = ParityComparison.fileOf(state);
    return file.isEmpty()
        ? CompletableFuture.completedStage(null)
        : comparison
            .compare(state, 0, Long.MAX_VALUE)
            .thenCompose(compared -> compared(state, file.get(), compared));
  }

  private CompletionStage<Void> compared(
      NodeState state, Attributes file, ComparedParity compared) {
    ParityReport report = compared.report();
    progress.stripes += report.stripes();
    return switch (compared.outcome()) {
      case WRITTEN, NOT_WHOLE -> later(state, file, compared);
      case FAILED -> leave(file, compared.why());
      case ALIKE -> damaged(file, report);
      case CONTRADICTED -> {
        damaged(file, report);
        yield second.tell(
            Suspicion.of(
                FindingKind.PARITY_DIFFERS,
                file.object(),
                "%,d units of object %s do not belong to the others of their stripes, in %s of %,d stripes"
                    .formatted(
                        report.contradictingUnits(),
                        file.object(),
                        counted(report.contradicted()),
                        report.stripes())));
      }
    };
  }

  private static String counted(List<Long> stripes) {
    return stripes.size() < ParityReport.MAX_CONTRADICTED
        ? "%,d".formatted(stripes.size())
        : "at least %,d".formatted(stripes.size());
  }

  /** Files are left that were not at rest. */
  boolean hasLater() {
    return !later.isEmpty();
  }

  /**
   * Looks again at those.
   *
   * @param last those that are not at rest now are named
   */
  CompletionStage<Void> again(boolean last) {
    List<ObjectId> files = List.copyOf(later.keySet());
    counted.clear();
    counted.putAll(later);
    later.clear();
    isLast = last;
    return volume
        .states(files, Map.of())
        .thenCompose(
            states -> {
              files.stream().filter(file -> !states.containsKey(file)).forEach(this::unknown);
              return steps.each(List.copyOf(states.values()), this::look);
            });
  }

  private void unknown(ObjectId file) {
    findings.unchecked(
        "parity of object %s: OSDs with its attributes do not reply".formatted(file));
  }

  private CompletionStage<Void> later(NodeState state, Attributes file, ComparedParity compared) {
    boolean isCounted = counted.getOrDefault(file.object(), state.live().busy());
    if (!isLast && later.size() < MAX_LATER) {
      later.put(file.object(), isCounted);
      return CompletableFuture.completedStage(null);
    }
    // An operator has to learn of lost bytes.
    boolean stays =
        compared.outcome() == ComparedParity.Outcome.WRITTEN
            && !state.live().damaged()
            && (state.live().busy()
                ? !volume.isServed()
                : file.truncation().trimBytes().isPresent());
    if (!stays) {
      return leave(file, compared.why());
    }
    progress.written += isCounted ? 0 : 1;
    return CompletableFuture.completedStage(null);
  }

  /** What damaged blocks hold is written anew from the others, and can be compared then. */
  private CompletionStage<Void> damaged(Attributes file, ParityReport report) {
    return report.damagedUnits() == 0
        ? CompletableFuture.completedStage(null)
        : leave(
            file,
            "%,d units have damaged blocks; these are written anew from others, then check again"
                .formatted(report.damagedUnits()));
  }

  private CompletionStage<Void> leave(Attributes file, String why) {
    findings.unchecked(
        "parity of object %s (\"%s\"): %s".formatted(file.object(), file.parent().name(), why));
    return CompletableFuture.completedStage(null);
  }
}
