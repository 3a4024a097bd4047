package org.weft.soak;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Reads files that another process writes, and compares them with its log. A read must give what
 * was acknowledged before it began, or what was begun before it ended. Confined to its thread.
 */
final class PeerReader {
  private static final int MAX_TAILS = 4;

  /** A file to be read. */
  record Target(LogTail tail, String path) {}

  private final WeftFiles files;
  private final Path logs;
  private final String own;
  private final TakenFiles taken;
  private final SortedMap<Path, LogTail> tails = new TreeMap<>();

  /**
   * @param own the beginning of the names of logs that are not read
   */
  PeerReader(WeftFiles files, Path logs, String own) {
    this.files = files;
    this.logs = logs;
    this.own = own;
    this.taken = new TakenFiles(logs);
  }

  /** Some file of the latest process of another client; empty if there is none yet. */
  Optional<Target> choose(Random random) {
    try {
      List<Path> latest = latestLogs();
      if (latest.isEmpty()) {
        return Optional.empty();
      }
      tails.keySet().retainAll(latest);
      Path file = latest.get(random.nextInt(latest.size()));
      if (tails.size() >= MAX_TAILS && !tails.containsKey(file)) {
        tails.remove(tails.firstKey());
      }
      LogTail tail = tails.computeIfAbsent(file, LogTail::new);
      tail.update();
      List<String> paths = new ArrayList<>(tail.ledger().files().keySet());
      paths.addAll(tail.ledger().names().keySet());
      paths.removeAll(taken.all());
      return paths.isEmpty()
          ? Optional.empty()
          : Optional.of(new Target(tail, paths.get(random.nextInt(paths.size()))));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("the logs cannot be read", e);
    }
  }

  private List<Path> latestLogs() throws IOException {
    Map<String, Path> latest = new TreeMap<>();
    try (Stream<Path> all = Files.list(logs)) {
      all.filter(file -> LogName.isLog(file) && !file.getFileName().toString().startsWith(own))
          .forEach(file -> latest.merge(LogName.laneOf(file), file, LogName::later));
    }
    return List.copyOf(latest.values());
  }

  /** Reads it, and gives how many bytes that were. */
  long read(Target target) throws IOException, Work.Mismatch {
    LoggedFile file = target.tail().ledger().files().get(target.path());
    return file != null ? readFile(target, file) : readName(target);
  }

  private long readFile(Target target, LoggedFile file) throws IOException, Work.Mismatch {
    target.tail().update();
    boolean mustExist = file.mustExist();
    boolean mustBeGone = file.mustBeGone();
    file.watch();
    Optional<byte[]> found = content(target.path());
    target.tail().update();
    List<FileState> states = file.watched();
    if (taken.all().contains(target.path())) {
      return 0;
    }
    if (found.isEmpty()) {
      require(!mustExist || !file.mustExist(), file + " is gone");
      return 0;
    }
    require(!mustBeGone, file + " is there, though it was removed");
    Optional<String> wrong = ContentCheck.beside(file, states, found.get());
    require(wrong.isEmpty(), wrong.orElse(""));
    return found.get().length;
  }

  private long readName(Target target) throws IOException, Work.Mismatch {
    target.tail().update();
    LoggedName name = target.tail().ledger().names().get(target.path());
    name.watch();
    Set<Long> whole = target.tail().ledger().whole();
    Optional<byte[]> found = content(target.path());
    target.tail().update();
    Set<Long> possible = name.watched();
    if (found.isEmpty()) {
      require(possible.contains(LoggedName.NONE), target.path() + " is gone: " + possible);
      return 0;
    }
    Optional<String> wrong =
        target.tail().ledger().compare(target.path(), possible, whole, found.get());
    require(wrong.isEmpty(), wrong.orElse(""));
    return found.get().length;
  }

  private static void require(boolean holds, String what) throws Work.Mismatch {
    if (!holds) {
      throw new Work.Mismatch(what);
    }
  }

  private Optional<byte[]> content(String path) throws IOException {
    try (InputStream in = files.open(WeftPath.of(path))) {
      return Optional.of(in.readAllBytes());
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
