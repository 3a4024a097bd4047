package org.weft.metadata.check;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.check.ComparedParity.Outcome;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Compares the parity of a file at rest with its data (P 6.8d). A file is at rest if no client may
 * write it and nothing of it is missing. Also, nothing that was written to it may be pending or
 * half durable. A contradiction counts only if the manager held the same of the file before and
 * after the read, and let no client write it between. For that the file is read once more, when all
 * that was decided is on the OSDs. On the volume's thread.
 */
public final class ParityComparison {
  private final CheckedVolume volume;
  private final Steps steps;

  public ParityComparison(CheckedVolume volume, Steps steps) {
    this.volume = volume;
    this.steps = steps;
  }

  /** The file, if the node is one that has a name, bytes and parity. */
  public static Optional<Attributes> fileOf(NodeState state) {
    return state
        .attributes()
        .filter(node -> node.kind() == NodeKind.FILE)
        .filter(file -> !state.live().removed() && !state.live().orphan())
        .filter(file -> !file.unwritten() && file.sizeBytes() > 0)
        .filter(file -> file.map().layout().parityUnits() > 0);
  }

  /**
   * Looks at some stripes of a file; never fails.
   *
   * @param state which may be older than the manager's: what contradicts itself is looked at again
   * @param most stripes, at least one
   */
  public CompletionStage<ComparedParity> compare(NodeState state, long fromStripe, long most) {
    Optional<ComparedParity> unfit = unfit(state);
    if (unfit.isPresent()) {
      return CompletableFuture.completedStage(unfit.get());
    }
    return read(fileOf(state).get(), fromStripe, most)
        .thenComposeAsync(
            compared ->
                compared.outcome() == Outcome.CONTRADICTED
                    ? lookAgain(state.object(), fromStripe, most)
                    : CompletableFuture.completedStage(compared),
            steps.home());
  }

  private Optional<ComparedParity> unfit(NodeState state) {
    Optional<Attributes> file = fileOf(state);
    if (file.isEmpty()) {
      return Optional.of(ComparedParity.not(Outcome.FAILED, "it is gone, or has no parity"));
    }
    // Until a truncation is finished, components may be longer than the file, each by another
    // length.
    if (state.live().busy() || file.get().truncation().trimBytes().isPresent()) {
      return Optional.of(
          ComparedParity.not(
              Outcome.WRITTEN, "it is being written or truncated, or is named as damaged"));
    }
    return notWhole(file.get(), state.live())
        .or(() -> away(file.get()))
        .map(why -> ComparedParity.not(Outcome.NOT_WHOLE, why));
  }

  /** Each of its stripes would wait for them. */
  private Optional<String> away(Attributes file) {
    SortedSet<OsdId> away = new TreeSet<>(file.map().components());
    away.removeAll(volume.serving());
    return away.isEmpty()
        ? Optional.empty()
        : Optional.of("OSDs " + away + " that have parts of it do not serve");
  }

  /** What an OSD has that the map does not name any more is compared with nothing. */
  private static Optional<String> notWhole(Attributes file, LiveNode live) {
    if (!file.map().missing().isEmpty()) {
      return Optional.of("components " + file.map().missing() + " are missing");
    }
    if (!live.beingMade().isEmpty()) {
      return Optional.of("something of it is being rebuilt on OSDs " + live.beingMade());
    }
    SortedSet<OsdId> behind = new TreeSet<>(live.lagging());
    behind.retainAll(file.map().components());
    return behind.isEmpty()
        ? Optional.empty()
        : Optional.of("its copies on OSDs " + behind + " are out of date");
  }

  private CompletionStage<ComparedParity> read(Attributes file, long fromStripe, long most) {
    return volume
        .parity(file, fromStripe, most)
        .handle(
            (report, failure) ->
                failure == null
                    ? ComparedParity.of(report)
                    : ComparedParity.not(Outcome.FAILED, WeftException.of(failure).getMessage()));
  }

  /** The result of a second look. */
  private static final class Told {
    private ComparedParity compared;
  }

  private CompletionStage<ComparedParity> lookAgain(ObjectId object, long fromStripe, long most) {
    FindingList unsure = new FindingList();
    Told told = new Told();
    return new SecondLook(volume, steps, unsure)
        .at(
            object,
            (objects, states) -> readAgain(states, object, fromStripe, most),
            (state, compared) -> {
              told.compared = compared;
              return List.of();
            })
        .handle(
            (nothing, failure) -> {
              if (failure != null) {
                return ComparedParity.not(Outcome.FAILED, WeftException.of(failure).getMessage());
              }
              return told.compared == null
                  ? ComparedParity.not(Outcome.WRITTEN, String.join("; ", unsure.unchecked()))
                  : told.compared;
            });
  }

  private CompletionStage<ComparedParity> readAgain(
      Map<ObjectId, NodeState> states, ObjectId object, long fromStripe, long most) {
    NodeState now = states.get(object);
    if (now == null) {
      return CompletableFuture.completedStage(
          ComparedParity.not(Outcome.FAILED, "OSDs with its attributes do not reply"));
    }
    Optional<ComparedParity> unfit = unfit(now);
    return unfit.isPresent()
        ? CompletableFuture.completedStage(unfit.get())
        : read(fileOf(now).get(), fromStripe, most);
  }
}
