package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.Steps;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.operation.salvage.BeginSalvaged;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.RecoveryProgress;

/**
 * The recovery of a volume whose journal is lost (P 6.8e). It begins with an empty journal, and
 * ends with one that says all that can be known from OSDs. Nothing is served meanwhile. All OSDs of
 * the BladeSet that are not removed have to answer, since each of them may have the newest copy of
 * something. The recovery waits for them. Each step may be repeated. A manager that dies on the way
 * leaves nothing that the next one, which begins anew, would take for something else.
 *
 * <p>On the volume's thread.
 */
public final class VolumeSalvage {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeSalvage.class);
  private static final int EFFECTS_OF_RECORD = 400;

  private final SalvagedVolume salvaged;
  private final Steps steps;
  private final long recovery;
  private final Supplier<NestedVolumes> nested;
  private final Consumer<String> status;
  private final SalvageTally tally;
  private final ObjectScan scan;
  private volatile RecoveryProgress progress;

  /**
   * @param recovery first epoch of the order
   * @param nested volumes in this one; throws IllegalStateException while that is not known
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   * @param status receives the present work, and what it waits for
   */
  public VolumeSalvage(
      SalvagedVolume salvaged,
      long recovery,
      Supplier<NestedVolumes> nested,
      LongSupplier clockNanos,
      Executor home,
      Consumer<String> status) {
    this.salvaged = salvaged;
    this.steps = new Steps(home);
    this.status = status;
    this.tally = new SalvageTally(clockNanos);
    this.recovery = recovery;
    this.nested = nested;
    this.scan = new ObjectScan(salvaged, steps, tally, recovery);
    this.progress = tally.progress();
  }

  /** How far it is; any thread. */
  public RecoveryProgress progress() {
    return progress;
  }

  /**
   * Completes when the journal holds all of it, durably; fails with NOT_SERVING when the volume is
   * another manager's by then.
   */
  public CompletionStage<Void> run() {
    return repeated("counting objects", () -> scan.count(osds()))
        .thenComposeAsync(
            nothing -> repeated("shutting out writers", () -> scan.barCreations(osds())),
            steps.home())
        .thenComposeAsync(nothing -> windows(new ObjectId(0)), steps.home())
        .thenComposeAsync(nothing -> begin(), steps.home())
        .thenComposeAsync(nothing -> repeated("counting trees", this::trees), steps.home())
        .thenComposeAsync(nothing -> repeated("names", this::walk), steps.home())
        .thenAcceptAsync(
            nothing -> {
              tally.step = "done";
              told();
              LOG.info("recovered from OSDs: {}", progress);
            },
            steps.home());
  }

  /** All that may have something of the volume. */
  private SortedSet<OsdId> osds() {
    CheckedVolume volume = salvaged.volume();
    SortedSet<OsdId> away = new TreeSet<>(volume.all());
    away.removeAll(volume.serving());
    if (!away.isEmpty() || volume.all().isEmpty()) {
      throw new IllegalStateException(
          "OSDs "
              + away
              + " are away, and may have the newest copies; start them, or remove those that are"
              + " lost (weft osd remove)");
    }
    return new TreeSet<>(volume.serving());
  }

  /** Until it succeeds, or nothing can. */
  private <T> CompletionStage<T> repeated(String what, Supplier<CompletionStage<T>> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    attempt(what, step, done);
    return done;
  }

  private <T> void attempt(
      String what, Supplier<CompletionStage<T>> step, CompletableFuture<T> done) {
    told();
    CompletionStage<T> tried;
    try {
      tried = step.get();
    } catch (IllegalStateException e) {
      tried =
          CompletableFuture.failedStage(
              new WeftException(ErrorCode.UNAVAILABLE, e.getMessage(), e));
    }
    var unused =
        tried.whenCompleteAsync(
            (result, failure) -> {
              if (failure == null) {
                done.complete(result);
                return;
              }
              WeftException cause = WeftException.of(failure);
              if (isFinal(cause.code())) {
                done.completeExceptionally(cause);
                return;
              }
              status.accept(
                  "waiting for OSDs: recovering from OSDs, " + what + ": " + cause.getMessage());
              salvaged.later(() -> attempt(what, step, done));
            },
            steps.home());
  }

  /** This manager serves the volume no more, or OSDs have a newer one: no later step would go. */
  private static boolean isFinal(ErrorCode code) {
    return code == ErrorCode.NOT_SERVING || code == ErrorCode.FENCED;
  }

  private void told() {
    progress = tally.progress();
    status.accept(
        "recovering from OSDs: %s, %,d nodes of at most %,d, %,d names"
            .formatted(tally.step, tally.nodes, tally.expected, tally.names));
  }

  private void waits(String why) {
    status.accept("waiting for OSDs: recovering from OSDs, " + tally.step + ": " + why);
  }

  private CompletionStage<Void> windows(ObjectId after) {
    Supplier<CompletionStage<Optional<ObjectId>>> window = () -> scan.window(osds(), after);
    return repeated("objects behind " + after, window)
        .thenComposeAsync(
            next ->
                next.isPresent()
                    ? windows(next.get())
                    : CompletableFuture.<Void>completedFuture(null),
            steps.home());
  }

  private CompletionStage<Void> begin() {
    boolean root = scan.nodes.contains(ObjectId.ROOT);
    if (!root) {
      tally.note("no OSD has the root directory: an empty one is made");
    }
    return repeated(
        "the journal is begun",
        () -> salvaged.journal(new BeginSalvaged(scan.last, scan.nodes.size(), root)));
  }

  private CompletionStage<Void> trees() {
    Map<ObjectId, String> paths = new HashMap<>();
    return salvaged
        .volume()
        .states(List.copyOf(scan.trees.wanted()), Map.of())
        .thenComposeAsync(
            states ->
                steps
                    .each(List.copyOf(scan.trees.trees()), tree -> path(tree, paths))
                    .thenComposeAsync(
                        nothing -> {
                          Map<ObjectId, ObjectId> treeOf = new HashMap<>();
                          states.forEach(
                              (object, state) ->
                                  state
                                      .attributes()
                                      .ifPresent(node -> treeOf.put(object, node.quotaTree())));
                          return journal(scan.trees.effects(treeOf, paths));
                        },
                        steps.home()),
            steps.home());
  }

  private CompletionStage<Void> path(ObjectId tree, Map<ObjectId, String> paths) {
    return salvaged
        .volume()
        .path(tree)
        .handleAsync(
            (path, failure) -> {
              paths.put(tree, failure == null && !path.isEmpty() ? path.substring(1) : "");
              return null;
            },
            steps.home());
  }

  private CompletionStage<Void> journal(List<LiveEffect> effects) {
    List<List<LiveEffect>> records = new ArrayList<>();
    for (int from = 0; from < effects.size(); from += EFFECTS_OF_RECORD) {
      records.add(effects.subList(from, Math.min(effects.size(), from + EFFECTS_OF_RECORD)));
    }
    return steps.each(records, record -> salvaged.journal(new AddLiveEffects(record)));
  }

  /**
   * Goes on where an OSD did not answer. It begins again from the first name only where a directory
   * turns out not to be whole, or something else has failed.
   */
  private CompletionStage<Void> walk() {
    tally.names = 0;
    return new NameWalk(
            salvaged, steps, tally, scan, recovery, nested.get(), this::told, this::waits)
        .walk();
  }
}
