package org.weft.nfs.daemon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;

/**
 * Where the paths of exports lead. A path that leads nowhere makes its export one that is gone; one
 * that cannot be asked for now leaves it as it was. Single-threaded.
 */
final class ExportRoots {
  /** A directory may be renamed, and another take its place. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long MISSING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The result of looking up a path. */
  private static final class Known {
    private Optional<NodeId> root = Optional.empty();
    private String problem = "";
    private boolean missing;
    private boolean asking;
    private long dueNanos;
  }

  private final Map<String, Known> byPath = new HashMap<>();

  /** A question that is to be asked. */
  record Question(String path) {}

  /** What is to be looked up now, each once. */
  List<Question> due(List<Export> exports, long nowNanos) {
    byPath.keySet().retainAll(exports.stream().map(Export::path).toList());
    List<Question> due = new ArrayList<>();
    for (Export export : exports) {
      Known known = byPath.get(export.path());
      if (known == null) {
        known = new Known();
        byPath.put(export.path(), known);
        known.dueNanos = nowNanos;
      }
      if (!known.asking && known.dueNanos - nowNanos <= 0) {
        known.asking = true;
        due.add(new Question(export.path()));
      }
    }
    return due;
  }

  void found(String path, NodeId root, long nowNanos) {
    Known known = byPath.get(path);
    if (known != null) {
      known.root = Optional.of(root);
      known.missing = false;
      known.problem = "";
      settled(known, nowNanos + LOOK_AGAIN_NANOS);
    }
  }

  void failed(String path, FileException failure, long nowNanos) {
    Known known = byPath.get(path);
    if (known == null) {
      return;
    }
    if (failure.error() == FileError.NOT_FOUND || failure.error() == FileError.NOT_DIRECTORY) {
      known.root = Optional.empty();
      known.missing = true;
      known.problem = path + " is exported, but there is no such directory";
    } else {
      known.problem =
          known.root.isPresent() ? "" : path + " is not found yet: " + failure.getMessage();
    }
    settled(known, nowNanos + MISSING_NANOS);
  }

  private static void settled(Known known, long dueNanos) {
    known.asking = false;
    known.dueNanos = dueNanos;
  }

  /** The exports that are there, with what is known of their directories. */
  List<Export> known(List<Export> exports) {
    List<Export> known = new ArrayList<>();
    for (Export export : exports) {
      Known place = byPath.get(export.path());
      if (place == null || !place.missing) {
        known.add(export.at(place == null ? Optional.empty() : place.root));
      }
    }
    return known;
  }

  /** True once it was tried to find each of them. */
  boolean allTried(List<Export> exports) {
    return exports.stream()
        .allMatch(
            export ->
                Optional.ofNullable(byPath.get(export.path()))
                    .filter(known -> known.root.isPresent() || known.missing)
                    .isPresent());
  }

  /** Sentences for people. */
  List<String> problems() {
    return byPath.values().stream()
        .map(known -> known.problem)
        .filter(problem -> !problem.isEmpty())
        .sorted()
        .toList();
  }

  /** Looks up paths; fails with {@link FileException}. */
  @FunctionalInterface
  interface Finder extends Function<String, CompletableFuture<NodeId>> {}
}
