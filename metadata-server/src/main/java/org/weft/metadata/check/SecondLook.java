package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Looks again at objects with a contradiction, so that no change on its way is reported as a
 * finding (P 6.8d). It notes what the manager holds of the object, brings all decisions to the
 * OSDs, and asks the OSDs. Then it looks at what the manager holds again. If both are the same,
 * with no write grant opened between, the OSDs have given that very state. A contradiction to that
 * state is then reported. Else all of that is done again; what changes all the time is named as not
 * checked. On the volume's thread.
 */
final class SecondLook {
  private static final int MAX_TRIES = 5;
  static final int MAX_AT_ONCE = 64;

  private final CheckedVolume volume;
  private final Steps steps;
  private final FindingList findings;

  SecondLook(CheckedVolume volume, Steps steps, FindingList findings) {
    this.volume = volume;
    this.steps = steps;
    this.findings = findings;
  }

  /** Compares what OSDs have of the objects, and tells what still contradicts itself. */
  CompletionStage<Void> at(List<ObjectId> objects, ObjectJudge judge) {
    List<List<ObjectId>> parts = new ArrayList<>();
    for (int from = 0; from < objects.size(); from += MAX_AT_ONCE) {
      parts.add(List.copyOf(objects.subList(from, Math.min(objects.size(), from + MAX_AT_ONCE))));
    }
    return steps.each(
        parts,
        part ->
            look(
                part,
                this::stores,
                (state, stores) ->
                    judge.judge(state, stores.of(state.object()), stores.answered(state.object())),
                MAX_TRIES));
  }

  /**
   * The same with another comparison.
   *
   * @param ask asks the OSDs, after all has been brought to them
   */
  <T> CompletionStage<Void> at(
      ObjectId object,
      BiFunction<List<ObjectId>, Map<ObjectId, NodeState>, CompletionStage<T>> ask,
      BiFunction<NodeState, T, List<Suspicion>> judge) {
    return look(List.of(object), ask, judge, MAX_TRIES);
  }

  private CompletionStage<Stores> stores(List<ObjectId> objects, Map<ObjectId, NodeState> states) {
    Map<OsdId, List<ObjectId>> wanted = new TreeMap<>();
    volume.serving().forEach(osd -> wanted.put(osd, objects));
    return Stores.ask(volume, steps, wanted);
  }

  private <T> CompletionStage<Void> look(
      List<ObjectId> objects,
      BiFunction<List<ObjectId>, Map<ObjectId, NodeState>, CompletionStage<T>> ask,
      BiFunction<NodeState, T, List<Suspicion>> judge,
      int tries) {
    objects.forEach(volume::watch);
    CompletionStage<List<ObjectId>> changed =
        CompletableFuture.completedStage(null)
            .thenCompose(nothing -> volume.states(objects, Map.of()))
            .thenCompose(
                before ->
                    volume
                        .flushed()
                        .thenCompose(nothing -> ask.apply(objects, before))
                        .thenCompose(
                            told ->
                                volume
                                    .states(objects, Map.of())
                                    .thenCompose(
                                        after -> tell(objects, before, after, told, judge))));
    return changed
        .whenComplete((nothing, failure) -> objects.forEach(volume::unwatch))
        .thenComposeAsync(
            again -> {
              if (again.isEmpty()) {
                return CompletableFuture.<Void>completedFuture(null);
              }
              if (tries > 1) {
                return look(again, ask, judge, tries - 1);
              }
              again.forEach(
                  object ->
                      findings.unchecked(
                          "object %s changed all the time while it was looked at; check again when it is at rest"
                              .formatted(object)));
              return CompletableFuture.<Void>completedFuture(null);
            },
            steps.home());
  }

  /** Objects that have changed. */
  private <T> CompletionStage<List<ObjectId>> tell(
      List<ObjectId> objects,
      Map<ObjectId, NodeState> before,
      Map<ObjectId, NodeState> after,
      T told,
      BiFunction<NodeState, T, List<Suspicion>> judge) {
    List<ObjectId> changed = new ArrayList<>();
    List<Suspicion> confirmed = new ArrayList<>();
    Set<ObjectId> both = new TreeSet<>(before.keySet());
    both.retainAll(after.keySet());
    for (ObjectId object : objects) {
      if (!both.contains(object)) {
        findings.unchecked(
            "nothing could be found out of object %s: OSDs with its directory or attributes do not reply"
                .formatted(object));
      } else if (before.get(object).equals(after.get(object))) {
        confirmed.addAll(judge.apply(after.get(object), told));
      } else {
        changed.add(object);
      }
    }
    return steps.each(confirmed, this::tell).thenApply(nothing -> changed);
  }

  /** Adds what is wrong with a name of a directory. */
  CompletionStage<Void> tell(Suspicion confirmed, ObjectId directory, String name) {
    return volume
        .path(directory)
        .exceptionally(failure -> "")
        .thenAccept(
            path ->
                findings.add(
                    confirmed, path.isEmpty() ? "" : (path.equals("/") ? "" : path) + "/" + name));
  }

  /** Adds it, with its path. */
  CompletionStage<Void> tell(Suspicion confirmed) {
    return volume
        .path(confirmed.object())
        .exceptionally(failure -> "")
        .thenAccept(path -> findings.add(confirmed, path));
  }
}
