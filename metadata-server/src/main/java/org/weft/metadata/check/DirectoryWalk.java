package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Walks through the names of one directory, however many, a page at a time. The node of a name is
 * looked for on the OSD that the name tells, so that the manager's cache is left to clients. A
 * mismatch there is looked at in the manager's own state, name and node at one moment. Counts are
 * exact beside changes ({@link NameTally}). On the volume's thread.
 */
final class DirectoryWalk {
  private static final int NAMES_AT_ONCE = 256;
  private static final int LINKS_OF_EMPTY = 2;
  private static final int MAX_FAILURES_IN_A_ROW = 5;
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * What walks of one check have in common.
   *
   * @param several counts names of nodes that have or had several
   */
  record Parts(
      CheckedVolume volume,
      Steps steps,
      SecondLook second,
      FindingList findings,
      CheckProgress progress,
      ManyNames several,
      Pace pace,
      ObjectJudge judge) {}

  private final CheckedVolume volume;
  private final Steps steps;
  private final SecondLook second;
  private final FindingList findings;
  private final Parts parts;
  private final ObjectId directory;
  private final NameTally tally;
  private final boolean countOnly;
  private int failures;
  private boolean broken;

  /**
   * @param countOnly names of nodes that have several are counted, and nothing else is looked at
   */
  DirectoryWalk(Parts parts, ObjectId directory, boolean countOnly) {
    this.parts = parts;
    this.volume = parts.volume();
    this.steps = parts.steps();
    this.second = parts.second();
    this.findings = parts.findings();
    this.directory = directory;
    this.tally = new NameTally(directory);
    this.countOnly = countOnly;
  }

  /** Some names could not be had. */
  boolean isBroken() {
    return broken;
  }

  /** Completes when all have been looked at; what could not be is noted. */
  CompletionStage<Void> walk() {
    volume.watch(tally);
    // What a page throws at once ends the watch, too.
    return CompletableFuture.<Void>completedStage(null)
        .thenCompose(nothing -> pages())
        .exceptionally(
            failure -> {
              broken = true;
              findings.unchecked(
                  "names in directory %s: %s"
                      .formatted(directory, WeftException.of(failure).getMessage()));
              return null;
            })
        .whenComplete((nothing, failure) -> volume.unwatch(tally));
  }

  private CompletionStage<Void> pages() {
    if (!parts.pace().goesOn()) {
      return CompletableFuture.completedStage(null);
    }
    return volume
        .entries(tally, NAMES_AT_ONCE)
        .handleAsync(
            (page, failure) -> {
              if (failure == null) {
                failures = 0;
                return page(page);
              }
              failures++;
              return failures < MAX_FAILURES_IN_A_ROW
                  ? parts.pace().pause(RETRY_NANOS).thenComposeAsync(x -> pages(), steps.home())
                  : CompletableFuture.<Void>failedStage(failure);
            },
            steps.home())
        .thenCompose(next -> next);
  }

  private CompletionStage<Void> page(CheckedVolume.Entries page) {
    if (page.directory().isEmpty() || !page.directory().get().isDirectory()) {
      // It was removed meanwhile.
      return CompletableFuture.completedStage(null);
    }
    parts.progress().names += countOnly ? 0 : page.names().size();
    return steps
        .each(List.copyOf(page.unfound()), name -> unfound(page, name))
        .thenCompose(nothing -> children(page.names()))
        .thenComposeAsync(
            nothing ->
                page.end()
                    ? ended(page.directory().get())
                    : parts.pace().breathe().thenComposeAsync(rested -> pages(), steps.home()),
            steps.home());
  }

  /** Both were looked at in one moment: nothing came between. */
  private CompletionStage<Void> unfound(CheckedVolume.Entries page, String name) {
    return page.names().stream()
        .filter(named -> named.name().equals(name))
        .findFirst()
        .map(
            named ->
                found(
                    FindingKind.NAME_OUT_OF_PLACE,
                    named.entry().object(),
                    name,
                    "\"%s\" in directory %s is shown, and leads elsewhere or nowhere when it is looked up"
                        .formatted(name, directory)))
        .orElseGet(() -> CompletableFuture.completedStage(null));
  }

  private CompletionStage<Void> children(List<NamedEntry> entries) {
    Map<OsdId, List<ObjectId>> wanted = new TreeMap<>();
    SortedSet<OsdId> serving = volume.serving();
    for (NamedEntry named : entries) {
      DirectoryEntry entry = named.entry();
      if (entry.kind() != NodeKind.VOLUME) {
        entry.hints().stream()
            .filter(serving::contains)
            .findFirst()
            .ifPresent(
                osd -> wanted.computeIfAbsent(osd, key -> new ArrayList<>()).add(entry.object()));
      }
    }
    return Stores.ask(volume, steps, wanted)
        .thenCompose(
            stores ->
                steps
                    .each(
                        entries.stream().filter(named -> isDoubtful(named, stores)).toList(),
                        this::lookAgain)
                    .thenCompose(nothing -> second.at(absent(entries, stores), parts.judge())));
  }

  /**
   * Nodes without any object on the OSD that the name gives. The manager may know their attributes,
   * and no list of an OSD names an object that all have lost.
   */
  private List<ObjectId> absent(List<NamedEntry> entries, Stores stores) {
    return countOnly
        ? List.of()
        : entries.stream()
            .map(named -> named.entry().object())
            .filter(object -> !stores.answered(object).isEmpty() && stores.of(object).isEmpty())
            .distinct()
            .toList();
  }

  private boolean isDoubtful(NamedEntry named, Stores stores) {
    DirectoryEntry entry = named.entry();
    if (entry.kind() == NodeKind.VOLUME) {
      return false;
    }
    Optional<Attributes> node =
        stores.of(entry.object()).entrySet().stream()
            .filter(stored -> !volume.live(entry.object()).explains(stored.getKey()))
            .flatMap(stored -> stored.getValue().page().stream())
            .map(StoredObject.Page::attributes)
            .findFirst();
    if (node.isEmpty()) {
      return true;
    }
    Attributes there = node.get();
    if (there.kind() == entry.kind() && there.parent().equals(ParentHint.MANY)) {
      count(entry.object());
      return false;
    }
    return there.kind() != entry.kind() || !isParent(there, named.name());
  }

  private boolean isParent(Attributes node, String name) {
    return node.parent().equals(new ParentHint(directory, name));
  }

  private void count(ObjectId object) {
    parts.several().named(object, 1);
  }

  private CompletionStage<Void> lookAgain(NamedEntry named) {
    return volume
        .name(directory, named.name())
        .handle(
            (now, failure) -> {
              if (failure != null) {
                findings.unchecked(
                    "what \"%s\" in directory %s leads to: OSDs do not reply"
                        .formatted(named.name(), directory));
                return CompletableFuture.<Void>completedStage(null);
              }
              return tell(named, now);
            })
        .thenCompose(told -> told);
  }

  private CompletionStage<Void> tell(NamedEntry named, NameState now) {
    boolean stands =
        now.entry().filter(one -> one.object().equals(named.entry().object())).isPresent();
    if (!stands) {
      return CompletableFuture.completedStage(null);
    }
    ObjectId object = named.entry().object();
    String where = "\"%s\" in directory %s".formatted(named.name(), directory);
    if (now.attributes().isEmpty()) {
      if (!now.silent().isEmpty()) {
        findings.unchecked(
            "%s leads to object %s: OSDs %s, which may have its attributes, do not reply"
                .formatted(where, object, now.silent()));
        return CompletableFuture.completedStage(null);
      }
      return found(
          FindingKind.NAME_WITHOUT_OBJECT,
          object,
          named.name(),
          "%s leads to object %s, whose attributes no OSD has".formatted(where, object));
    }
    Attributes node = now.attributes().get();
    if (node.kind() != now.entry().get().kind()) {
      return found(
          FindingKind.WRONG_KIND,
          object,
          named.name(),
          "%s is a %s, object %s a %s"
              .formatted(where, now.entry().get().kind(), object, node.kind()));
    }
    if (node.parent().equals(ParentHint.MANY)) {
      count(object);
      return CompletableFuture.completedStage(null);
    }
    return isParent(node, named.name())
        ? CompletableFuture.completedStage(null)
        : found(
            FindingKind.WRONG_PARENT,
            object,
            named.name(),
            "%s leads to object %s, whose attributes say that it is \"%s\" in directory %s"
                .formatted(where, object, node.parent().name(), node.parent().directory()));
  }

  private CompletionStage<Void> found(FindingKind kind, ObjectId object, String name, String what) {
    return countOnly
        ? CompletableFuture.completedStage(null)
        : second.tell(Suspicion.of(kind, object, what), directory, name);
  }

  /**
   * @param now the directory when the last names were read, which is when they were counted
   */
  private CompletionStage<Void> ended(Attributes now) {
    if (countOnly) {
      return CompletableFuture.completedStage(null);
    }
    if (tally.isRemade()) {
      findings.unchecked(
          "counts of directory %s: it began anew meanwhile; check again".formatted(directory));
      return CompletableFuture.completedStage(null);
    }
    if (now.entries() != tally.names() || tally.counted() != tally.names()) {
      return second.tell(
          Suspicion.of(
              FindingKind.WRONG_ENTRY_COUNT,
              directory,
              "directory %s has %,d names; its count is %,d, that of its index %,d"
                  .formatted(directory, tally.names(), now.entries(), tally.counted())));
    }
    return now.links() == LINKS_OF_EMPTY + tally.directories()
        ? CompletableFuture.completedStage(null)
        : second.tell(
            Suspicion.of(
                FindingKind.WRONG_LINK_COUNT,
                directory,
                "directory %s has %,d directories in it, and its link count is %d"
                    .formatted(directory, tally.directories(), now.links())));
  }
}
