package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.volume.ResolveSalvaged;
import org.weft.metadata.volume.SalvagedNode;
import org.weft.metadata.volume.TakeSalvaged;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Goes through all objects of a volume, a window of numbers at a time (P 6.8e): writers of before
 * are shut out of them, what all OSDs have of each is compared, and what follows is journalled.
 * Each window may be repeated. On the volume's thread.
 */
final class ObjectScan {
  private static final int OBJECTS_AT_ONCE = 512;
  private static final int NODES_OF_RECORD = 200;
  private static final int DIRECTORIES_AT_ONCE = 64;
  private static final int LISTED_AT_ONCE = 4_096;

  private final SalvagedVolume salvaged;
  private final Steps steps;
  private final SalvageTally tally;

  /** Of which some OSD has attributes. */
  final ObjectSet nodes = new ObjectSet();

  final ObjectSet directories = new ObjectSet();

  /** Files that were open when they lost their last name: their attributes say so. */
  final ObjectSet unlinked = new ObjectSet();

  /** Nodes that have or had several names, with their link counts. */
  final SortedMap<ObjectId, Integer> links = new TreeMap<>();

  final TreeSums trees = new TreeSums();
  ObjectId last = new ObjectId(0);

  ObjectScan(SalvagedVolume salvaged, Steps steps, SalvageTally tally) {
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

  /** Nobody makes objects any more by a grant of before. */
  CompletionStage<Void> barCreations(SortedSet<OsdId> osds) {
    ObjectId unused = new ObjectId(last.value() + 1);
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
              return shutOut(window)
                  .thenComposeAsync(
                      nothing -> Stores.ask(salvaged.volume(), steps, window.byOsd()), steps.home())
                  .thenComposeAsync(stores -> take(osds, window, stores), steps.home())
                  .thenApply(
                      nothing ->
                          window.more() ? Optional.of(window.last()) : Optional.<ObjectId>empty());
            },
            steps.home());
  }

  private static void requireAll(SortedSet<OsdId> unheard) {
    if (!unheard.isEmpty()) {
      throw new CompletionException(
          new RpcException(ErrorCode.UNAVAILABLE, "OSDs " + unheard + " do not answer"));
    }
  }

  private CompletionStage<Void> shutOut(ObjectWindow window) {
    List<CompletionStage<Void>> calls = new ArrayList<>();
    window
        .byOsd()
        .forEach(
            (osd, objects) -> {
              if (!objects.isEmpty()) {
                calls.add(salvaged.shutOut(osd, objects));
              }
            });
    return all(calls);
  }

  private static CompletionStage<Void> all(List<CompletionStage<Void>> calls) {
    return CompletableFuture.allOf(
        calls.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
  }

  private CompletionStage<Void> take(SortedSet<OsdId> osds, ObjectWindow window, Stores stores) {
    window
        .byOsd()
        .forEach(
            (osd, objects) -> {
              for (ObjectId object : objects) {
                if (!stores.answered(object).contains(osd)) {
                  throw new CompletionException(
                      new RpcException(
                          ErrorCode.UNAVAILABLE,
                          "osd-"
                              + osd
                              + " does not tell what it has of object "
                              + object
                              + "; if that lasts its store is damaged: repair it (weft osd check), or give"
                              + " the OSD up (weft osd remove)"));
                }
              }
            });
    SalvageJudge judge = new SalvageJudge(salvaged.volume(), osds);
    Map<ObjectId, SalvagedNode> found = new TreeMap<>();
    List<ObjectId> headless = new ArrayList<>();
    for (ObjectId object : window.objects()) {
      Optional<SalvagedNode> node = judge.judge(stores.of(object));
      node.ifPresentOrElse(one -> found.put(object, one), () -> headless.add(object));
    }
    List<Attributes> inWindow =
        found.values().stream().map(SalvagedNode::node).filter(Attributes::isDirectory).toList();
    return olderCopies(osds, inWindow)
        .thenComposeAsync(
            older -> journal(found, older).thenAccept(done -> add(found, older, headless)),
            steps.home());
  }

  /** By the header, whose LSN is that of the last change of the directory. */
  private CompletionStage<Map<ObjectId, List<OsdId>>> olderCopies(
      SortedSet<OsdId> osds, List<Attributes> found) {
    Map<ObjectId, List<OsdId>> older = new TreeMap<>();
    List<List<Attributes>> parts = new ArrayList<>();
    for (int from = 0; from < found.size(); from += DIRECTORIES_AT_ONCE) {
      parts.add(found.subList(from, Math.min(found.size(), from + DIRECTORIES_AT_ONCE)));
    }
    return steps
        .each(
            parts, part -> all(part.stream().map(each -> olderCopies(osds, each, older)).toList()))
        .thenApply(nothing -> older);
  }

  private CompletionStage<Void> olderCopies(
      SortedSet<OsdId> osds, Attributes directory, Map<ObjectId, List<OsdId>> older) {
    Map<OsdId, Optional<Lsn>> headers = new TreeMap<>();
    List<CompletionStage<Void>> asked = new ArrayList<>();
    for (OsdId osd : salvaged.volume().directoryCopies(directory.map()).keySet()) {
      if (osds.contains(osd)) {
        asked.add(
            salvaged
                .volume()
                .blocks(osd, directory.object(), List.of(DirectoryBlock.HEADER))
                .handleAsync(
                    (blocks, failure) -> {
                      headers.put(osd, header(blocks, failure));
                      return null;
                    },
                    steps.home()));
      }
    }
    return all(asked)
        .thenAcceptAsync(
            nothing -> {
              Optional<Lsn> newest =
                  headers.values().stream().flatMap(Optional::stream).max(Lsn::compareTo);
              List<OsdId> behind = new ArrayList<>();
              headers.forEach(
                  (osd, header) -> {
                    if (!header.equals(newest)) {
                      behind.add(osd);
                    }
                  });
              if (!behind.isEmpty()) {
                older.put(directory.object(), behind);
              }
            },
            steps.home());
  }

  /** Empty: the copy is not there, or cannot be read. */
  private static Optional<Lsn> header(SortedMap<Integer, byte[]> blocks, Throwable failure) {
    if (failure == null) {
      return Optional.ofNullable(blocks.get(DirectoryBlock.HEADER)).map(DirectoryBlock::lsnOf);
    }
    RpcException cause = RpcException.of(failure);
    return switch (cause.code()) {
      case NO_SUCH_OBJECT, BAD_CHECKSUM, BAD_MEDIA -> Optional.empty();
      default -> throw new CompletionException(cause);
    };
  }

  /** Files to be resolved first: their flushes must not settle what is pending. */
  private CompletionStage<Void> journal(
      Map<ObjectId, SalvagedNode> found, Map<ObjectId, List<OsdId>> older) {
    List<SalvagedNode> unsettled = found.values().stream().filter(SalvagedNode::unsettled).toList();
    List<SalvagedNode> told = new ArrayList<>();
    for (SalvagedNode each : found.values()) {
      SortedSet<OsdId> stale = new TreeSet<>(each.stale());
      stale.addAll(older.getOrDefault(each.node().object(), List.of()));
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
      Map<ObjectId, SalvagedNode> found,
      Map<ObjectId, List<OsdId>> older,
      List<ObjectId> headless) {
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
      }
      if (node.parent().equals(ParentHint.MANY)) {
        links.put(node.object(), node.links());
      }
      tally.resolving += each.unsettled() ? 1 : 0;
      tally.staleCopies += each.stale().size();
    }
    older.values().forEach(copies -> tally.staleCopies += copies.size());
    tally.nodes = nodes.size();
    tally.directories = directories.size();
    tally.headless += headless.size();
    headless.forEach(
        object ->
            tally.note(
                "OSDs have components of object %s, and none has its attributes: they stay where they are"
                    .formatted(object)));
  }
}
