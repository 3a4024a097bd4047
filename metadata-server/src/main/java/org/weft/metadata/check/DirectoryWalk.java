package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.NamedEntry;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.RpcException;

/**
 * Walks through the names of one directory. What a name leads to is looked for on the OSD that the
 * name tells, so that the manager's cache is left to clients; what is not as it must be there is
 * looked at in the manager's own state, name and node at one moment. On the volume's thread.
 */
final class DirectoryWalk {
  private static final int NAMES_AT_ONCE = 256;
  private static final int LINKS_OF_EMPTY = 2;

  private final CheckedVolume volume;
  private final Steps steps;
  private final SecondLook second;
  private final FindingList findings;
  private final ObjectId directory;
  private final Map<ObjectId, Integer> several = new HashMap<>();
  private final boolean countOnly;
  private Optional<Lsn> begun = Optional.empty();
  private long names;
  private long directories;
  private boolean broken;

  /**
   * @param countOnly names of nodes that have several are counted, and nothing else is looked at
   */
  DirectoryWalk(
      CheckedVolume volume,
      Steps steps,
      SecondLook second,
      FindingList findings,
      ObjectId directory,
      boolean countOnly) {
    this.volume = volume;
    this.steps = steps;
    this.second = second;
    this.findings = findings;
    this.directory = directory;
    this.countOnly = countOnly;
  }

  /** Names that were looked at. */
  long names() {
    return names;
  }

  /** Some names could not be had. */
  boolean isBroken() {
    return broken;
  }

  /** Names by node, of nodes that have or had several. */
  Map<ObjectId, Integer> several() {
    return several;
  }

  /** Completes when all have been looked at; what could not be is noted. */
  CompletionStage<Void> walk() {
    return from(0)
        .exceptionally(
            failure -> {
              broken = true;
              findings.unchecked(
                  "names in directory %s: %s"
                      .formatted(directory, RpcException.of(failure).getMessage()));
              return null;
            });
  }

  private CompletionStage<Void> from(long cookie) {
    return volume
        .entries(directory, cookie, NAMES_AT_ONCE)
        .thenComposeAsync(
            page -> {
              if (page.directory().isEmpty() || !page.directory().get().isDirectory()) {
                // It was removed meanwhile.
                return CompletableFuture.<Void>completedFuture(null);
              }
              Attributes now = page.directory().get();
              begun = begun.isEmpty() ? Optional.of(now.changeLsn()) : begun;
              List<NamedEntry> entries = page.names();
              return children(entries)
                  .thenComposeAsync(
                      nothing ->
                          page.end() || entries.isEmpty()
                              ? ended(now)
                              : from(entries.get(entries.size() - 1).cookie()),
                      steps.home());
            },
            steps.home());
  }

  private CompletionStage<Void> children(List<NamedEntry> entries) {
    Map<OsdId, List<ObjectId>> wanted = new TreeMap<>();
    SortedSet<OsdId> serving = volume.serving();
    for (NamedEntry named : entries) {
      names++;
      DirectoryEntry entry = named.entry();
      directories += entry.kind() == NodeKind.DIRECTORY || entry.kind() == NodeKind.VOLUME ? 1 : 0;
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
                steps.each(
                    entries.stream().filter(named -> isDoubtful(named, stores)).toList(),
                    this::lookAgain));
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
    several.merge(object, 1, Integer::sum);
  }

  private CompletionStage<Void> lookAgain(NamedEntry named) {
    return volume
        .name(directory, named.name())
        .thenCompose(
            now -> {
              if (now.isEmpty()) {
                findings.unchecked(
                    "what \"%s\" in directory %s leads to: OSDs do not answer"
                        .formatted(named.name(), directory));
                return CompletableFuture.completedStage(null);
              }
              return tell(named, now.get());
            });
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
            "%s leads to object %s: OSDs %s, which may have its attributes, do not answer"
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
   * @param now the directory when the last names were read
   */
  private CompletionStage<Void> ended(Attributes now) {
    boolean isStill = begun.get().equals(now.changeLsn());
    if (countOnly || !isStill) {
      return CompletableFuture.completedStage(null);
    }
    if (now.entries() != names) {
      return second.tell(
          Suspicion.of(
              FindingKind.WRONG_ENTRY_COUNT,
              directory,
              "directory %s has %,d names, and its count is %,d"
                  .formatted(directory, names, now.entries())));
    }
    return now.links() == LINKS_OF_EMPTY + directories
        ? CompletableFuture.completedStage(null)
        : second.tell(
            Suspicion.of(
                FindingKind.WRONG_LINK_COUNT,
                directory,
                "directory %s has %,d directories in it, and its link count is %d"
                    .formatted(directory, directories, now.links())));
  }
}
