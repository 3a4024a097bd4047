package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.check.ObjectWindow;
import org.weft.metadata.check.Steps;
import org.weft.metadata.check.Stores;
import org.weft.metadata.salvage.CopyComparison.Outcome;
import org.weft.metadata.volume.operation.salvage.BeginSalvaged;
import org.weft.metadata.volume.operation.salvage.RemakeDirectory;
import org.weft.metadata.volume.operation.salvage.ResolveSalvaged;
import org.weft.metadata.volume.operation.salvage.SalvagedNode;
import org.weft.metadata.volume.operation.salvage.TakeSalvaged;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Goes through all objects of a volume, a window of numbers at a time (P 6.8e). It shuts former
 * writers out of them, compares what all OSDs have of each, and journals what follows. Each window
 * may be repeated. On the volume's thread.
 */
final class ObjectScan {
  private static final int OBJECTS_AT_ONCE = 512;
  private static final int NODES_OF_RECORD = 200;
  private static final int DIRECTORIES_AT_ONCE = 64;
  private static final int LISTED_AT_ONCE = 4_096;

  private final SalvagedVolume salvaged;
  private final Steps steps;
  private final SalvageTally tally;
  private final long recovery;

  /** Objects with attributes on some OSD. */
  final ObjectSet nodes = new ObjectSet();

  final ObjectSet directories = new ObjectSet();

  /** Directories of which no OSD has all blocks. */
  final ObjectSet damaged = new ObjectSet();

  /** Those of them that have begun anew, also in an attempt of before. */
  final ObjectSet remade = new ObjectSet();

  /** Files that were open when they lost their last name: their attributes say so. */
  final ObjectSet unlinked = new ObjectSet();

  /** Nodes that have or had several names, with their link counts. */
  final SortedMap<ObjectId, Integer> links = new TreeMap<>();

  final TreeSums trees = new TreeSums();
  ObjectId last = new ObjectId(0);

  /**
   * @param recovery first epoch of the order
   */
  ObjectScan(SalvagedVolume salvaged, Steps steps, SalvageTally tally, long recovery) {
    this.recovery = recovery;
    this.salvaged = salvaged;
    this.steps = steps;
    this.tally = tally;
  }

  /** Finds the largest number, and how many objects there are. */
  CompletionStage<Void> count(SortedSet<OsdId> osds) {
    ObjectSet all = new ObjectSet();
    return steps
        .each(List.copyOf(osds), osd -> list(osd, new ObjectId(0), all))
        .thenAccept(nothing -> tally.expected = all.size());
  }

  private CompletionStage<Void> list(OsdId osd, ObjectId after, ObjectSet all) {
    return salvaged
        .volume()
        .list(osd, after, LISTED_AT_ONCE)
        .thenComposeAsync(
            listed -> {
              listed.objects().forEach(all::add);
              ObjectId end = after;
              if (!listed.objects().isEmpty()) {
                end = listed.objects().get(listed.objects().size() - 1);
                last = end.compareTo(last) > 0 ? end : last;
              }
              return listed.more()
                  ? list(osd, end, all)
                  : CompletableFuture.<Void>completedFuture(null);
            },
            steps.home());
  }

  /**
   * Bars grants of before from making objects. The number that carries the bar is in no such grant:
   * objects with the next numbers may be made at this moment.
   */
  CompletionStage<Void> barCreations(SortedSet<OsdId> osds) {
    ObjectId unused = new ObjectId(last.value() + BeginSalvaged.OBJECTS_LEFT_OUT / 2);
    return all(osds.stream().map(osd -> salvaged.barCreations(osd, unused)).toList());
  }

  /**
   * The objects behind this one; answers with the last of them, empty: there are no more. What it
   * adds to this scan it adds once all of it is journalled.
   */
  CompletionStage<Optional<ObjectId>> window(SortedSet<OsdId> osds, ObjectId after) {
    SortedSet<OsdId> unheard = new TreeSet<>();
    return ObjectWindow.list(salvaged.volume(), osds, after, OBJECTS_AT_ONCE, unheard::add)
        .thenComposeAsync(
            window -> {
              requireAll(unheard);
              SortedMap<OsdId, Set<ObjectId>> open = new TreeMap<>();
              return shutOut(window, open)
                  .thenComposeAsync(
                      nothing -> Stores.ask(salvaged.volume(), steps, window.byOsd()), steps.home())
                  .thenComposeAsync(
                      stores ->
                          untold(window, stores, open)
                              .thenComposeAsync(
                                  untold -> take(osds, window, stores, untold), steps.home()),
                      steps.home())
                  .thenApply(
                      nothing ->
                          window.more() ? Optional.of(window.last()) : Optional.<ObjectId>empty());
            },
            steps.home());
  }

  private static void requireAll(SortedSet<OsdId> unheard) {
    if (!unheard.isEmpty()) {
      throw new CompletionException(
          new WeftException(ErrorCode.UNAVAILABLE, "OSDs " + unheard + " do not reply"));
    }
  }

  /**
   * @param open receives components that could not be shut out, since the OSD cannot read them
   */
  private CompletionStage<Void> shutOut(ObjectWindow window, SortedMap<OsdId, Set<ObjectId>> open) {
    List<CompletionStage<Void>> calls = new ArrayList<>();
    window
        .byOsd()
        .forEach(
            (osd, objects) -> {
              if (!objects.isEmpty()) {
                calls.add(
                    salvaged
                        .shutOut(osd, objects)
                        .thenAcceptAsync(left -> open.put(osd, left), steps.home()));
              }
            });
    return all(calls);
  }

  /**
   * Sentences on what OSDs cannot read for good: what others have of it counts. Fails if one may
   * tell the next time, or tells of what writers were not shut out of.
   */
  private CompletionStage<List<String>> untold(
      ObjectWindow window, Stores stores, SortedMap<OsdId, Set<ObjectId>> open) {
    List<String> sentences = new ArrayList<>();
    List<CompletionStage<Void>> asked = new ArrayList<>();
    window
        .byOsd()
        .forEach(
            (osd, objects) -> {
              for (ObjectId object : objects) {
                boolean isTold = stores.answered(object).contains(osd);
                if (isTold && open.get(osd).contains(object)) {
                  throw notTold(osd, object);
                }
                if (!isTold) {
                  asked.add(
                      salvaged
                          .unreadable(osd, object)
                          .thenAcceptAsync(
                              why ->
                                  sentences.add(
                                      "osd-%s cannot read its copy of object %s, which counts for nothing: %s"
                                          .formatted(
                                              osd,
                                              object,
                                              why.orElseThrow(() -> notTold(osd, object)))),
                              steps.home()));
                }
              }
            });
    return all(asked).thenApply(nothing -> sentences);
  }

  private static CompletionException notTold(OsdId osd, ObjectId object) {
    return new CompletionException(
        new WeftException(
            ErrorCode.UNAVAILABLE,
            "osd-"
                + osd
                + " does not tell what it has of object "
                + object
                + "; if that lasts its store is damaged: repair it (weft osd check), or give the OSD up"
                + " (weft osd remove)"));
  }

  private static CompletionStage<Void> all(List<CompletionStage<Void>> calls) {
    return CompletableFuture.allOf(
        calls.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
  }

  private CompletionStage<Void> take(
      SortedSet<OsdId> osds, ObjectWindow window, Stores stores, List<String> untold) {
    SalvageJudge judge = new SalvageJudge(salvaged.volume(), osds);
    Map<ObjectId, SalvagedNode> found = new TreeMap<>();
    List<ObjectId> headless = new ArrayList<>();
    for (ObjectId object : window.objects()) {
      Optional<SalvagedNode> node = judge.judge(stores.of(object));
      node.ifPresentOrElse(one -> found.put(object, one), () -> headless.add(object));
    }
    List<Attributes> inWindow =
        found.values().stream().map(SalvagedNode::node).filter(Attributes::isDirectory).toList();
    return compared(osds, inWindow)
        .thenComposeAsync(
            copies ->
                journal(found, copies)
                    .thenRunAsync(
                        () -> {
                          add(found, copies, headless);
                          tally.unreadable += untold.size();
                          untold.forEach(tally::note);
                        },
                        steps.home()),
            steps.home());
  }

  private CompletionStage<Map<ObjectId, Outcome>> compared(
      SortedSet<OsdId> osds, List<Attributes> found) {
    Map<ObjectId, Outcome> outcomes = new TreeMap<>();
    List<List<Attributes>> parts = new ArrayList<>();
    for (int from = 0; from < found.size(); from += DIRECTORIES_AT_ONCE) {
      parts.add(found.subList(from, Math.min(found.size(), from + DIRECTORIES_AT_ONCE)));
    }
    return steps
        .each(
            parts, part -> all(part.stream().map(each -> compared(osds, each, outcomes)).toList()))
        .thenApply(nothing -> outcomes);
  }

  private CompletionStage<Void> compared(
      SortedSet<OsdId> osds, Attributes directory, Map<ObjectId, Outcome> outcomes) {
    return new CopyComparison(salvaged.volume(), steps, osds, directory)
        .run()
        .thenAcceptAsync(outcome -> outcomes.put(directory.object(), outcome), steps.home());
  }

  /** Files to be resolved first: their flushes must not settle what is pending. */
  private CompletionStage<Void> journal(
      Map<ObjectId, SalvagedNode> found, Map<ObjectId, Outcome> copies) {
    List<SalvagedNode> unsettled = found.values().stream().filter(SalvagedNode::unsettled).toList();
    List<SalvagedNode> told = new ArrayList<>();
    for (SalvagedNode each : found.values()) {
      SortedSet<OsdId> stale = new TreeSet<>(each.stale());
      stale.addAll(behind(copies, each.node().object()));
      SalvagedNode whole = each.withStale(List.copyOf(stale));
      if (!whole.isWhole()) {
        told.add(whole);
      }
    }
    List<List<SalvagedNode>> records = new ArrayList<>();
    for (int from = 0; from < told.size(); from += NODES_OF_RECORD) {
      records.add(told.subList(from, Math.min(told.size(), from + NODES_OF_RECORD)));
    }
    // Records are made in this order, and one sync is enough for many.
    return all(unsettled.stream()
            .map(each -> salvaged.journal(new ResolveSalvaged(each.node())))
            .toList())
        .thenComposeAsync(
            nothing -> steps.each(records, record -> salvaged.journal(new TakeSalvaged(record))),
            steps.home());
  }

  private void add(
      Map<ObjectId, SalvagedNode> found, Map<ObjectId, Outcome> copies, List<ObjectId> headless) {
    for (SalvagedNode each : found.values()) {
      Attributes node = each.node();
      nodes.add(node.object());
      // A writer of before may have made it after objects were counted.
      last = node.object().compareTo(last) > 0 ? node.object() : last;
      if (node.links() == 0) {
        unlinked.add(node.object());
      }
      trees.add(node);
      if (node.isDirectory()) {
        directories.add(node.object());
        addDirectory(node, copies.get(node.object()));
      }
      if (node.parent().equals(ParentHint.MANY)) {
        links.put(node.object(), node.links());
      }
      tally.resolving += each.unsettled() ? 1 : 0;
      tally.staleCopies += each.stale().size();
    }
    tally.nodes = nodes.size();
    tally.directories = directories.size();
    tally.headless += headless.size();
    headless.forEach(
        object ->
            tally.note(
                "OSDs have components of object %s, and none has its attributes: they stay where they are"
                    .formatted(object)));
  }

  private static List<OsdId> behind(Map<ObjectId, Outcome> copies, ObjectId object) {
    return copies.containsKey(object) ? copies.get(object).behind() : List.of();
  }

  private void addDirectory(Attributes node, Outcome copies) {
    tally.staleCopies += copies.behind().size();
    if (!copies.doubtful().isEmpty()) {
      tally.note(
          "directory %s: OSDs %s cannot read the header of their copies, which may have been newer than those that are used; names in it may be older, and nodes that have no name there are in /lost+found"
              .formatted(node.object(), copies.doubtful()));
    }
    if (RemakeDirectory.isOf(node, recovery)) {
      damaged.add(node.object());
      remade.add(node.object());
    }
    if (!copies.readable()) {
      damaged.add(node.object());
      remade.remove(node.object());
    }
  }
}
