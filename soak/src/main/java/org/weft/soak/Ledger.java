package org.weft.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the file system must or may hold by one log. It covers files that are changed in place or
 * grow, and names that lead to whole files. Not thread-safe.
 */
final class Ledger {
  private final Path snapshots;
  private final SortedMap<String, LoggedFile> files = new TreeMap<>();
  private final SortedMap<String, LoggedName> names = new TreeMap<>();
  private final SortedMap<Long, SoakOp> streams = new TreeMap<>();
  private final Set<Long> wholeStreams = new TreeSet<>();
  private final Map<String, Boolean> takes = new TreeMap<>();
  private final Map<String, SoakOp> taken = new TreeMap<>();
  private SoakOp pending;

  /**
   * @param snapshots where clients leave what they found in the files that they took
   */
  Ledger(Path snapshots) {
    this.snapshots = snapshots;
  }

  static Path snapshot(Path directory, SoakOp take) {
    return directory.resolve("taken-" + take.number());
  }

  SortedMap<String, LoggedFile> files() {
    return files;
  }

  SortedMap<String, LoggedName> names() {
    return names;
  }

  /** Streams that were acknowledged by now: what is read from now on must be all of them. */
  Set<Long> whole() {
    return Set.copyOf(wholeStreams);
  }

  /**
   * What is wrong with a file that was found under a name which may lead to these streams.
   *
   * @param whole streams that were acknowledged before it was opened
   */
  Optional<String> compare(String path, Set<Long> possible, Set<Long> whole, byte[] found) {
    for (long number : possible) {
      if (number != LoggedName.NONE
          && matches(streams.get(number), whole.contains(number), found)) {
        return Optional.empty();
      }
    }
    return Optional.of(
        path
            + " holds "
            + found.length
            + " bytes that no client wrote there; possible are the streams "
            + possible
            + ", it begins as "
            + describe(found));
  }

  private String describe(byte[] found) {
    if (found.length == 0) {
      return "an empty file";
    }
    for (SoakOp stream : streams.values()) {
      if (found[0] == BytePattern.at(stream.number(), 0)
          && found[found.length - 1] == BytePattern.at(stream.number(), found.length - 1)) {
        return stream.toString();
      }
    }
    return found[0] == 0 ? "zeros" : "no stream";
  }

  /** A stream that was not acknowledged may be there in part. */
  private static boolean matches(SoakOp stream, boolean whole, byte[] found) {
    if (whole ? found.length != stream.length() : found.length > stream.length()) {
      return false;
    }
    for (int at = 0; at < found.length; at++) {
      if (found[at] != BytePattern.at(stream.number(), at) && (whole || found[at] != 0)) {
        return false;
      }
    }
    return true;
  }

  /** Whether this client took a file: null if it has not said so yet. */
  Boolean took(String path) {
    return takes.get(path);
  }

  /** Where the client left what it found in a file that it took. */
  Path snapshotOf(String path) {
    return snapshot(snapshots, taken.get(path));
  }

  /** The file that is being written, and has been before; empty while none is. */
  Optional<String> underWay() {
    boolean writes = pending != null && pending.kind() == SoakOp.Kind.WRITE;
    return writes && files.get(pending.path()).isWritten()
        ? Optional.of(pending.path())
        : Optional.empty();
  }

  void begun(SoakOp operation) {
    pending = operation;
    switch (operation.kind()) {
      case READ, TAKE -> {}
      case STREAM -> {
        streams.put(operation.number(), operation);
        name(operation.path()).maybe(Set.of(operation.number()));
      }
      case RENAME -> {
        Set<Long> moved = name(operation.path()).possible();
        name(operation.path()).maybe(Set.of(LoggedName.NONE));
        name(operation.other()).maybe(moved);
      }
      case UNLINK -> {
        if (files.containsKey(operation.path())) {
          files.get(operation.path()).begun(operation);
        } else {
          name(operation.path()).maybe(Set.of(LoggedName.NONE));
        }
      }
      default -> file(operation.path()).begun(operation);
    }
  }

  private LoggedName name(String path) {
    return names.computeIfAbsent(path, key -> new LoggedName());
  }

  private LoggedFile file(String path) {
    return files.computeIfAbsent(path, key -> new LoggedFile(key, FileState.EMPTY));
  }

  /** The pending operation was acknowledged; it is returned. */
  SoakOp done(long number) {
    SoakOp operation = ended(number);
    switch (operation.kind()) {
      case READ -> {}
      case TAKE -> {
        files.put(operation.path(), LoggedFile.taken(operation.path(), found(operation)));
        takes.put(operation.path(), true);
        taken.put(operation.path(), operation);
      }
      case STREAM -> {
        wholeStreams.add(number);
        name(operation.path()).surely(Set.of(number));
      }
      case RENAME -> {
        Set<Long> moved = new TreeSet<>(name(operation.path()).possible());
        moved.remove(LoggedName.NONE);
        name(operation.path()).surely(Set.of(LoggedName.NONE));
        name(operation.other()).surely(moved);
      }
      case UNLINK -> {
        if (files.containsKey(operation.path())) {
          files.get(operation.path()).done(operation);
        } else {
          name(operation.path()).surely(Set.of(LoggedName.NONE));
        }
      }
      default -> files.get(operation.path()).done(operation);
    }
    return operation;
  }

  private byte[] found(SoakOp take) {
    try {
      return Files.readAllBytes(snapshot(snapshots, take));
    } catch (IOException e) {
      throw new UncheckedIOException("what was found by " + take, e);
    }
  }

  /** The pending operation failed, and may have happened or not. */
  SoakOp failed(long number) {
    SoakOp operation = ended(number);
    if (operation.kind() == SoakOp.Kind.TAKE) {
      takes.put(operation.path(), false);
    }
    LoggedFile file = files.get(operation.path());
    if (file != null && operation.kind() != SoakOp.Kind.READ) {
      file.failed();
    }
    return operation;
  }

  private SoakOp ended(long number) {
    if (pending == null || pending.number() != number) {
      throw new IllegalStateException("operation " + number + " ended, begun was " + pending);
    }
    SoakOp operation = pending;
    pending = null;
    return operation;
  }
}
