package org.weft.metadata.serving.care;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.check.CheckedVolume.Entries;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.check.NodeState.Named;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.metadata.serving.request.LoadCoalescer;
import org.weft.metadata.volume.state.LiveNodes;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * Looks at nodes and names as the manager holds them, each at one moment. What the cache lacks is
 * loaded, and then all of it is looked at from the beginning. On the volume's thread.
 */
final class NodeLooks {
  private static final int MAX_LOADS = 40;
  private static final int MAX_LOADED_AT_ONCE = 256;
  private static final int MAX_LOADS_OF_A_PAGE = 12;
  private static final int MAX_NAMES = 1_024;

  /** So often in a row objects that are looked at together may push each other out. */
  private static final int MAX_VAIN_LOADS = 12;

  private final MetadataCache cache;
  private final LiveNodes live;
  private final LoadCoalescer loads;
  private final Executor home;

  /** As many of a directory's names as the cache has lately had room for. */
  private int mostNames = MAX_NAMES;

  /**
   * @param home the volume's thread
   */
  NodeLooks(MetadataCache cache, LiveNodes live, LoadCoalescer loads, Executor home) {
    this.cache = cache;
    this.live = live;
    this.loads = loads;
    this.home = home;
  }

  /** One look; {@code null} if something was missing, which the set then names. */
  private interface Look<T> {
    T now(Set<Missing> missing);
  }

  private static <T> T ready(Loadable<T> answer, Set<Missing> missing) {
    if (!answer.isReady()) {
      missing.addAll(answer.missing());
      return null;
    }
    return answer.value();
  }

  private <T> CompletionStage<T> look(Look<T> what, int loadsLeft) {
    Set<Missing> missing = new LinkedHashSet<>();
    T found = what.now(missing);
    if (found != null) {
      return CompletableFuture.completedStage(found);
    }
    if (loadsLeft == 0) {
      return CompletableFuture.failedStage(
          new WeftException(
              ErrorCode.OVERLOADED,
              "the manager's cache does not hold what is to be looked at; try again later"));
    }
    return load(missing).thenCompose(nothing -> look(what, loadsLeft - 1));
  }

  private CompletionStage<Void> load(Set<Missing> missing) {
    CompletableFuture<Void> loaded = new CompletableFuture<>();
    loads.load(
        missing.stream().limit(MAX_LOADED_AT_ONCE).toList(),
        failure -> {
          if (failure == null) {
            loaded.complete(null);
          } else {
            loaded.completeExceptionally(failure);
          }
        });
    return loaded;
  }

  /** As {@link org.weft.metadata.check.CheckedVolume#states}. */
  CompletionStage<Map<ObjectId, NodeState>> states(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    Map<ObjectId, NodeState> found = new HashMap<>();
    return together(objects, new Wanted(assumed, true), found, MAX_VAIN_LOADS)
        .thenApply(nothing -> found);
  }

  /** As {@link org.weft.metadata.check.CheckedVolume#nodes}. */
  CompletionStage<Map<ObjectId, NodeState>> nodes(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    Map<ObjectId, NodeState> found = new HashMap<>();
    return together(objects, new Wanted(assumed, false), found, MAX_VAIN_LOADS)
        .thenApply(nothing -> found);
  }

  /** As {@link org.weft.metadata.check.CheckedVolume#node}. */
  CompletionStage<NodeState> node(ObjectId object) {
    Wanted wanted = new Wanted(Map.of(), false);
    return look(missing -> state(object, wanted, missing), MAX_LOADS);
  }

  /**
   * What is checked of objects.
   *
   * @param assumed attributes that need not be loaded
   * @param names whether a name leads to them
   */
  private record Wanted(Map<ObjectId, Attributes> assumed, boolean names) {}

  /** What pushes each other out of a small cache, or cannot be loaded, is looked at alone. */
  private CompletionStage<Void> together(
      List<ObjectId> objects, Wanted wanted, Map<ObjectId, NodeState> found, int vainLoadsLeft) {
    List<ObjectId> left = new ArrayList<>();
    Set<Missing> missing = new LinkedHashSet<>();
    for (ObjectId object : objects) {
      NodeState state = state(object, wanted, missing);
      if (state == null) {
        left.add(object);
      } else {
        found.put(object, state);
      }
    }
    if (left.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    boolean isVain = left.size() == objects.size();
    if (isVain && vainLoadsLeft == 0) {
      return alone(new ArrayDeque<>(left), wanted, found);
    }
    return load(missing)
        .handle(
            (nothing, failure) ->
                failure == null
                    ? together(left, wanted, found, isVain ? vainLoadsLeft - 1 : MAX_VAIN_LOADS)
                    : alone(new ArrayDeque<>(left), wanted, found))
        .thenCompose(next -> next);
  }

  /** One that cannot be looked at is left out. */
  private CompletionStage<Void> alone(
      Deque<ObjectId> objects, Wanted wanted, Map<ObjectId, NodeState> found) {
    ObjectId object = objects.poll();
    if (object == null) {
      return CompletableFuture.completedStage(null);
    }
    return look(missing -> state(object, wanted, missing), MAX_LOADS)
        .handle(
            (state, failure) -> {
              if (failure == null) {
                found.put(object, state);
              }
              return null;
            })
        .thenComposeAsync(nothing -> alone(objects, wanted, found), home);
  }

  private NodeState state(ObjectId object, Wanted wanted, Set<Missing> missing) {
    Attributes known = wanted.assumed().get(object);
    Optional<Attributes> node =
        known != null ? Optional.of(known) : ready(cache.attributes(object, List.of()), missing);
    if (node == null) {
      return null;
    }
    Named named = node.isEmpty() || !wanted.names() ? Named.UNKNOWN : named(node.get(), missing);
    return named == null
        ? null
        : new NodeState(
            object,
            node,
            node.isEmpty() ? cache.mayHaveAttributes(object) : Collections.emptySortedSet(),
            live.of(object),
            named);
  }

  private Named named(Attributes node, Set<Missing> missing) {
    if (node.object().equals(ObjectId.ROOT)) {
      return Named.YES;
    }
    ParentHint hint = node.parent();
    if (hint.equals(ParentHint.MANY)) {
      return Named.SEVERAL;
    }
    Optional<Attributes> above = ready(cache.attributes(hint.directory(), List.of()), missing);
    if (above == null) {
      return null;
    }
    if (above.isEmpty()) {
      return cache.mayHaveAttributes(hint.directory()).isEmpty() ? Named.NO : Named.UNKNOWN;
    }
    if (!above.get().isDirectory()) {
      return Named.NO;
    }
    Optional<DirectoryEntry> entry = ready(cache.lookup(hint.directory(), hint.name()), missing);
    if (entry == null) {
      return null;
    }
    return entry.filter(one -> one.object().equals(node.object())).isPresent()
        ? Named.YES
        : Named.NO;
  }

  /** As {@link org.weft.metadata.check.CheckedVolume#name}. */
  CompletionStage<NameState> name(ObjectId directory, String name) {
    return look(missing -> nameNow(directory, name, missing), MAX_LOADS);
  }

  private NameState nameNow(ObjectId directory, String name, Set<Missing> missing) {
    Optional<Attributes> above = ready(cache.attributes(directory, List.of()), missing);
    if (above == null) {
      return null;
    }
    if (above.isEmpty() || !above.get().isDirectory()) {
      return new NameState(Optional.empty(), Optional.empty(), Collections.emptySortedSet());
    }
    Optional<DirectoryEntry> entry = ready(cache.lookup(directory, name), missing);
    if (entry == null) {
      return null;
    }
    if (entry.isEmpty()) {
      return new NameState(entry, Optional.empty(), Collections.emptySortedSet());
    }
    ObjectId object = entry.get().object();
    Optional<Attributes> node = ready(cache.attributes(object, entry.get().hints()), missing);
    return node == null
        ? null
        : new NameState(
            entry,
            node,
            node.isEmpty() ? cache.mayHaveAttributes(object) : Collections.emptySortedSet());
  }

  /**
   * As {@link org.weft.metadata.check.CheckedVolume#entries}. A cache that is too small for a page
   * gets smaller ones.
   */
  CompletionStage<Entries> entries(NameTally tally, int max) {
    int names = Math.min(max, mostNames);
    return look(
            missing -> entriesNow(tally, names, missing),
            names == 1 ? MAX_LOADS : MAX_LOADS_OF_A_PAGE)
        .handle(
            (page, failure) -> {
              if (failure == null) {
                mostNames = Math.min(MAX_NAMES, mostNames + 1);
                return CompletableFuture.completedStage(page);
              }
              if (names == 1 || WeftException.of(failure).code() != ErrorCode.OVERLOADED) {
                return CompletableFuture.<Entries>failedStage(failure);
              }
              mostNames = Math.max(1, names / 4);
              return entries(tally, max);
            })
        .thenCompose(next -> next);
  }

  private Entries entriesNow(NameTally tally, int max, Set<Missing> missing) {
    ObjectId directory = tally.directory();
    Optional<Attributes> node = ready(cache.attributes(directory, List.of()), missing);
    if (node == null) {
      return null;
    }
    if (node.isEmpty() || !node.get().isDirectory()) {
      return new Entries(node, List.of(), Collections.emptySortedSet(), true);
    }
    Long indexCount = ready(cache.entryCount(directory), missing);
    DirectoryPage page = ready(cache.readdir(directory, tally.passedCookie(), max), missing);
    if (indexCount == null || page == null) {
      return null;
    }
    SortedSet<String> unfound = new TreeSet<>();
    for (NamedEntry named : page.entries()) {
      Optional<DirectoryEntry> entry = ready(cache.lookup(directory, named.name()), missing);
      if (entry == null) {
        return null;
      }
      if (!entry.equals(Optional.of(named.entry()))) {
        unfound.add(named.name());
      }
    }
    tally.passed(page.entries(), page.end(), indexCount);
    return new Entries(node, page.entries(), unfound, page.end());
  }

  /** As {@link org.weft.metadata.check.CheckedVolume#path}. */
  CompletionStage<String> path(ObjectId object) {
    return look(missing -> pathNow(object, missing), MAX_LOADS);
  }

  private String pathNow(ObjectId object, Set<Missing> missing) {
    Deque<String> names = new ArrayDeque<>();
    Set<ObjectId> seen = new HashSet<>();
    ObjectId current = object;
    while (!current.equals(ObjectId.ROOT)) {
      Optional<Attributes> node = ready(cache.attributes(current, List.of()), missing);
      if (node == null) {
        return null;
      }
      boolean isLost =
          node.isEmpty() || node.get().parent().equals(ParentHint.MANY) || !seen.add(current);
      if (isLost) {
        return "";
      }
      names.addFirst(node.get().parent().name());
      current = node.get().parent().directory();
    }
    return "/" + String.join("/", names);
  }
}
