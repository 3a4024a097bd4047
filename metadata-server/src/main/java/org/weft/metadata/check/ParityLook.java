package org.weft.metadata.check;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.stripe.ParityReport;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.RpcException;

/**
 * Compares the parity of files with their data, one file after another (P 6.8d). A file is at rest
 * if nobody may write it, nothing of it is missing, and nothing that was written to it is pending
 * or half durable; others are looked at again at the end, and then named. What was found wrong
 * counts only if the manager held the same of the file before and after it was read, and let nobody
 * write it between. On the volume's thread.
 */
final class ParityLook {
  private static final int MOST_LATER = 1_000;

  private final CheckedVolume volume;
  private final SecondLook second;
  private final FindingList findings;
  private final CheckProgress progress;
  private final Steps steps;
  private final Set<ObjectId> later = new LinkedHashSet<>();
  private boolean isLast;

  ParityLook(
      CheckedVolume volume,
      Steps steps,
      SecondLook second,
      FindingList findings,
      CheckProgress progress) {
    this.steps = steps;
    this.volume = volume;
    this.second = second;
    this.findings = findings;
    this.progress = progress;
  }

  /** Files with nothing to compare are passed over. */
  CompletionStage<Void> look(NodeState state) {
    boolean isFile = state.attributes().filter(node -> node.kind() == NodeKind.FILE).isPresent();
    if (!isFile || state.live().removed() || state.live().orphan()) {
      return CompletableFuture.completedStage(null);
    }
    Attributes file = state.attributes().get();
    if (file.unwritten() || file.sizeBytes() == 0 || file.map().layout().parityUnits() == 0) {
      return CompletableFuture.completedStage(null);
    }
    if (!isAtRest(state)) {
      return later(file);
    }
    return volume
        .parity(file)
        .handle(
            (report, failure) -> {
              if (failure != null) {
                return leave(file, RpcException.of(failure).getMessage());
              }
              progress.stripes += report.stripes();
              return report.wrongUnits() == 0
                  ? CompletableFuture.<Void>completedStage(null)
                  : lookAgain(file);
            })
        .thenCompose(next -> next);
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
    List<ObjectId> files = List.copyOf(later);
    later.clear();
    isLast = last;
    return volume
        .states(files, Map.of())
        .thenCompose(states -> steps.each(List.copyOf(states.values()), this::look));
  }

  private CompletionStage<Void> later(Attributes file) {
    if (isLast || later.size() >= MOST_LATER) {
      return leave(file, "it is being written, cut or rebuilt");
    }
    later.add(file.object());
    return CompletableFuture.completedStage(null);
  }

  private static boolean isAtRest(NodeState state) {
    return state.attributes().isPresent()
        && !state.live().removed()
        && !state.live().busy()
        && state.live().beingMade().isEmpty()
        && state.live().lagging().isEmpty()
        && state.attributes().get().map().missing().isEmpty();
  }

  private CompletionStage<Void> leave(Attributes file, String why) {
    findings.unchecked(
        "parity of object %s (\"%s\"): %s".formatted(file.object(), file.parent().name(), why));
    return CompletableFuture.completedStage(null);
  }

  private CompletionStage<Void> lookAgain(Attributes file) {
    return second.at(
        file.object(),
        (objects, states) -> {
          NodeState now = states.get(file.object());
          return now == null || !isAtRest(now)
              ? CompletableFuture.completedStage(new ParityReport(0, 0, 0))
              : volume
                  .parity(now.attributes().get())
                  .exceptionally(
                      failure -> {
                        leave(file, RpcException.of(failure).getMessage());
                        return new ParityReport(0, 0, 0);
                      });
        },
        (state, report) ->
            report.wrongUnits() == 0
                ? List.of()
                : List.of(
                    Suspicion.of(
                        FindingKind.PARITY_DIFFERS,
                        file.object(),
                        "%,d units of parity of object %s do not belong to its data, or have damaged blocks, of %,d stripes"
                            .formatted(report.wrongUnits(), file.object(), report.stripes()))));
  }
}
