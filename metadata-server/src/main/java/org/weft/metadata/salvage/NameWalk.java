package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.check.Steps;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.metadata.volume.operation.salvage.AdoptNameless;
import org.weft.metadata.volume.operation.salvage.OrderDirectory;
import org.weft.metadata.volume.operation.salvage.OrderDirectory.Dropped;
import org.weft.metadata.volume.operation.salvage.OrderLinks;
import org.weft.metadata.volume.operation.salvage.RemakeDirectory;
import org.weft.metadata.volume.operation.salvage.RemoveNameless;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * Brings the names of a volume and its nodes together (P 6.8e). Names that lead to nothing go. Of
 * several names of a node that has one, the name that its attributes tell stays, else the youngest.
 * Counts are those of the names. A node without a name gets one in {@code /lost+found}, unless its
 * attributes say that it was unlinked. On the volume's thread.
 */
final class NameWalk {
  private static final int NAMES_AT_ONCE = 2_048;
  private static final int DROPPED_OF_RECORD = 500;

  private final SalvageCalls calls;
  private final Steps steps;
  private final SalvageTally tally;
  private final ObjectScan scan;
  private final long recovery;
  private final VolumeNames volumes;
  private final Runnable told;
  private final ObjectSet named = new ObjectSet();
  private final Map<ObjectId, Integer> counted = new HashMap<>();

  /** The directory that leads to a directory. */
  private final Map<ObjectId, ObjectId> above = new HashMap<>();

  /** Nodes that have one name by their attributes, and that several lead to. */
  private final SortedMap<ObjectId, List<Claim>> disputed = new TreeMap<>();

  /** A name that leads to a node. */
  private record Claim(ObjectId directory, String name, Lsn lsn) {}

  /** The content of a directory. */
  private static final class Content {
    private final List<Dropped> dropped = new ArrayList<>();
    private Optional<Attributes> node = Optional.empty();
    private long entries;
    private int directories;
  }

  /**
   * @param recovery first epoch of the order
   * @param nested volumes in this one
   * @param told is called from time to time: the tally may have changed
   * @param waits receives what the walk waits for
   */
  NameWalk(
      SalvagedVolume salvaged,
      Steps steps,
      SalvageTally tally,
      ObjectScan scan,
      long recovery,
      NestedVolumes nested,
      Runnable told,
      Consumer<String> waits) {
    this.volumes = new VolumeNames(salvaged, steps, tally, nested);
    this.recovery = recovery;
    this.told = told;
    this.calls = new SalvageCalls(salvaged, steps.home(), waits);
    this.steps = steps;
    this.tally = tally;
    this.scan = scan;
  }

  CompletionStage<Void> walk() {
    tally.step = "names";
    named.add(ObjectId.ROOT);
    return each(scan.damaged, new Damaged())
        .thenComposeAsync(nothing -> each(scan.directories, this::first), steps.home())
        .thenComposeAsync(nothing -> disputes(), steps.home())
        .thenComposeAsync(nothing -> links(), steps.home())
        .thenComposeAsync(nothing -> openRings(), steps.home())
        .thenComposeAsync(
            nothing -> {
              tally.step = "lost+found";
              return each(scan.nodes, new Nameless());
            },
            steps.home())
        .thenComposeAsync(nothing -> volumes.nameOthers(), steps.home());
  }

  private interface Step {
    CompletionStage<Void> of(ObjectId object);

    /** Nothing is to be done for it. */
    default boolean isDone(ObjectId object) {
      return false;
    }
  }

  /** Reads it once: later content was added since. */
  private final class Damaged implements Step {
    @Override
    public CompletionStage<Void> of(ObjectId object) {
      tally.note(
          "directory %s: no OSD has all of its blocks; it begins anew, and what was in it gets the names that its attributes tell"
              .formatted(object));
      tally.remade++;
      return calls
          .journal(new RemakeDirectory(object, recovery))
          .thenRunAsync(() -> scan.remade.add(object), steps.home());
    }

    @Override
    public boolean isDone(ObjectId object) {
      return scan.remade.contains(object);
    }
  }

  private final class Nameless implements Step {
    @Override
    public CompletionStage<Void> of(ObjectId object) {
      return nameless(object);
    }

    @Override
    public boolean isDone(ObjectId object) {
      return named.contains(object);
    }
  }

  private CompletionStage<Void> each(ObjectSet objects, Step step) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    next(objects, 0, step, done);
    return done;
  }

  /** No chain of futures: there may be very many. */
  private void next(ObjectSet objects, long from, Step step, CompletableFuture<Void> done) {
    OptionalLong next = objects.from(from);
    while (next.isPresent() && step.isDone(new ObjectId(next.getAsLong()))) {
      next = objects.from(next.getAsLong() + 1);
    }
    told.run();
    if (next.isEmpty()) {
      done.complete(null);
      return;
    }
    long now = next.getAsLong();
    var unused =
        step.of(new ObjectId(now))
            .whenCompleteAsync(
                (nothing, failure) -> {
                  if (failure == null) {
                    next(objects, now + 1, step, done);
                  } else {
                    done.completeExceptionally(failure);
                  }
                },
                steps.home());
  }

  private CompletionStage<Void> first(ObjectId directory) {
    Content content = new Content();
    return pages(new NameTally(directory), content, entry -> isKept(directory, entry))
        .thenComposeAsync(nothing -> order(directory, content), steps.home())
        .whenCompleteAsync(
            (nothing, failure) -> {
              if (failure != null && WeftException.of(failure).code() == ErrorCode.TOO_MANY_LOST) {
                // It was whole when it was compared; the next attempt begins it anew.
                scan.damaged.add(directory);
                scan.remade.remove(directory);
              }
            },
            steps.home());
  }

  private interface Judge {
    boolean isKept(NamedEntry entry);
  }

  private CompletionStage<Void> pages(NameTally names, Content content, Judge judge) {
    return calls
        .entries(names, NAMES_AT_ONCE)
        .thenComposeAsync(
            page -> {
              content.node = page.directory();
              for (NamedEntry entry : page.names()) {
                if (judge.isKept(entry)) {
                  content.entries++;
                  NodeKind kind = entry.entry().kind();
                  boolean isDirectory = kind == NodeKind.DIRECTORY || kind == NodeKind.VOLUME;
                  content.directories += isDirectory ? 1 : 0;
                } else {
                  content.dropped.add(new Dropped(entry.name(), entry.entry().object()));
                }
              }
              return page.end() || page.names().isEmpty()
                  ? CompletableFuture.<Void>completedFuture(null)
                  : pages(names, content, judge);
            },
            steps.home());
  }

  private boolean isKept(ObjectId directory, NamedEntry entry) {
    tally.names++;
    ObjectId object = entry.entry().object();
    if (entry.entry().kind() == NodeKind.VOLUME) {
      return volumes.isKept(directory, entry);
    }
    if (object.compareTo(scan.last) > 0) {
      // What an attempt before has made was on no OSD then.
      return true;
    }
    if (!scan.nodes.contains(object) || object.equals(ObjectId.ROOT)) {
      tally.note(
          "name \"%s\" in directory %s led to object %s, of which no OSD has attributes; it is gone"
              .formatted(entry.name(), directory, object));
      return false;
    }
    if (scan.unlinked.contains(object)) {
      tally.note(
          "name \"%s\" in directory %s led to file %s, whose attributes say that its last name was removed; it is gone"
              .formatted(entry.name(), directory, object));
      return false;
    }
    if (scan.directories.contains(object)) {
      above.put(object, directory);
    }
    if (scan.links.containsKey(object)) {
      counted.merge(object, 1, Integer::sum);
      named.add(object);
    } else if (!named.add(object)) {
      disputed.put(object, new ArrayList<>());
    }
    return true;
  }

  private CompletionStage<Void> order(ObjectId directory, Content content) {
    tally.dropped += content.dropped.size();
    if (content.node.isEmpty()) {
      tally.note("directory " + directory + " cannot be read: what was in it is in /lost+found");
      return CompletableFuture.completedStage(null);
    }
    Attributes node = content.node.get();
    boolean isRight =
        content.dropped.isEmpty()
            && node.entries() == content.entries
            && node.links() == 2 + content.directories;
    if (isRight) {
      return CompletableFuture.completedStage(null);
    }
    List<List<Dropped>> records = new ArrayList<>();
    for (int from = 0; from < content.dropped.size(); from += DROPPED_OF_RECORD) {
      records.add(
          content.dropped.subList(
              from, Math.min(content.dropped.size(), from + DROPPED_OF_RECORD)));
    }
    if (records.isEmpty()) {
      records.add(List.of());
    }
    return steps.each(
        records,
        dropped ->
            calls.journal(
                new OrderDirectory(directory, dropped, content.entries, content.directories)));
  }

  /** A rename was on one of its directories, and not on the other. */
  private CompletionStage<Void> disputes() {
    if (disputed.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    Map<ObjectId, Claim> kept = new HashMap<>();
    return each(
            scan.directories,
            directory ->
                pages(
                    new NameTally(directory),
                    new Content(),
                    entry -> {
                      List<Claim> claims = disputed.get(entry.entry().object());
                      if (claims != null && entry.entry().kind() != NodeKind.VOLUME) {
                        claims.add(new Claim(directory, entry.name(), entry.entry().lsn()));
                      }
                      return true;
                    }))
        .thenComposeAsync(
            nothing -> steps.each(List.copyOf(disputed.keySet()), node -> decide(node, kept)),
            steps.home())
        .thenComposeAsync(nothing -> dropOthers(kept), steps.home());
  }

  private CompletionStage<Void> decide(ObjectId object, Map<ObjectId, Claim> kept) {
    return calls
        .node(object)
        .thenComposeAsync(
            state -> {
              ParentHint hint = state.attributes().orElseThrow().parent();
              List<Claim> claims = disputed.get(object);
              Optional<Claim> told =
                  claims.stream()
                      .filter(each -> new ParentHint(each.directory(), each.name()).equals(hint))
                      .findFirst();
              Claim claim =
                  told.orElseGet(
                      () ->
                          claims.stream()
                              .max((one, other) -> one.lsn().compareTo(other.lsn()))
                              .orElseThrow());
              kept.put(object, claim);
              above.computeIfPresent(object, (directory, before) -> claim.directory());
              return told.isPresent()
                  ? CompletableFuture.<Void>completedFuture(null)
                  : calls.journal(
                      new OrderLinks(object, 1, new ParentHint(claim.directory(), claim.name())));
            },
            steps.home());
  }

  private CompletionStage<Void> dropOthers(Map<ObjectId, Claim> kept) {
    SortedSet<ObjectId> losers = new TreeSet<>();
    disputed.forEach(
        (object, claims) ->
            claims.stream()
                .filter(claim -> !claim.equals(kept.get(object)))
                .forEach(claim -> losers.add(claim.directory())));
    return steps.each(
        List.copyOf(losers),
        directory -> {
          Content content = new Content();
          return pages(
                  new NameTally(directory),
                  content,
                  entry -> {
                    Claim claim = kept.get(entry.entry().object());
                    boolean isOld =
                        claim != null
                            && entry.entry().kind() != NodeKind.VOLUME
                            && !(claim.directory().equals(directory)
                                && claim.name().equals(entry.name()));
                    if (isOld) {
                      tally.note(
                          "name \"%s\" in directory %s was of before a rename to \"%s\" in directory %s; it is gone"
                              .formatted(entry.name(), directory, claim.name(), claim.directory()));
                    }
                    return !isOld;
                  })
              .thenComposeAsync(nothing -> order(directory, content), steps.home());
        });
  }

  private CompletionStage<Void> links() {
    tally.step = "counts";
    List<ObjectId> wrong = new ArrayList<>();
    scan.links.forEach(
        (object, links) -> {
          int names = counted.getOrDefault(object, 0);
          if (names > 0 && names != links) {
            wrong.add(object);
          }
        });
    return steps.each(
        wrong,
        object -> calls.journal(new OrderLinks(object, counted.get(object), ParentHint.MANY)));
  }

  /**
   * Two renames that reached only some of their directories may leave a ring: directories that lead
   * to each other, while the root leads to none. One directory of each such ring goes to {@code
   * /lost+found}.
   */
  private CompletionStage<Void> openRings() {
    return steps.each(
        new DirectoryRings(above, scan.directories).oneOfEach(),
        directory -> {
          ObjectId from = above.get(directory);
          tally.found++;
          tally.note(
              "directories lead to each other, and the root to none of them: directory %s, which was in directory %s, is in /%s"
                  .formatted(directory, from, AdoptNameless.DIRECTORY));
          Content content = new Content();
          return calls
              .journal(new AdoptNameless(directory))
              .thenComposeAsync(
                  nothing ->
                      pages(
                          new NameTally(from),
                          content,
                          entry -> !entry.entry().object().equals(directory)),
                  steps.home())
              .thenComposeAsync(nothing -> order(from, content), steps.home());
        });
  }

  private CompletionStage<Void> nameless(ObjectId object) {
    return calls
        .node(object)
        .thenComposeAsync(
            state -> {
              if (state.attributes().isEmpty()) {
                // An attempt before has removed it.
                return CompletableFuture.<Void>completedFuture(null);
              }
              Attributes node = state.attributes().get();
              if (node.links() == 0) {
                tally.removed++;
                return calls.journal(new RemoveNameless(object));
              }
              if (scan.damaged.contains(node.parent().directory())
                  && !node.parent().equals(ParentHint.MANY)) {
                return returned(node);
              }
              return adopted(node);
            },
            steps.home());
  }

  /** Its directory began anew; another node may tell the same name. */
  private CompletionStage<Void> returned(Attributes node) {
    ParentHint hint = node.parent();
    return calls
        .name(hint.directory(), hint.name())
        .thenComposeAsync(
            state -> {
              if (state.entry().isPresent()) {
                return adopted(node);
              }
              tally.returned++;
              return calls.journal(new AdoptNameless(node.object(), true));
            },
            steps.home());
  }

  private CompletionStage<Void> adopted(Attributes node) {
    tally.found++;
    tally.note(
        "%s %s, which was \"%s\" in directory %s, has no name there; it is in /%s"
            .formatted(
                node.isDirectory() ? "directory" : "object",
                node.object(),
                node.parent().name(),
                node.parent().directory(),
                AdoptNameless.DIRECTORY));
    return calls.journal(new AdoptNameless(node.object()));
  }
}
