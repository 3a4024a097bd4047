package org.weft.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;

/**
 * One client's work in a directory of its own, and what must be there afterwards. An operation that
 * was acknowledged must have happened; one that failed may have happened or not, and nothing else
 * may have.
 */
final class FileWorkload {
  /** What a name may lead to: each content is a seed with a length; none means no file. */
  private record Content(long seed, int lengthBytes) {}

  private static final int NAMES = 40;
  private static final int[] LENGTHS = {0, 1, 4_096, 65_535, 65_536, 65_537, 300_000, 1_400_000};

  private final WeftFiles files;
  private final WeftPath directory;
  private final Random random;
  private final Map<String, Set<Optional<Content>>> possible = new TreeMap<>();
  private volatile long acknowledged;
  private volatile long failed;

  FileWorkload(WeftFiles files, WeftPath directory, long seed) {
    this.files = files;
    this.directory = directory;
    this.random = new Random(seed);
  }

  long acknowledged() {
    return acknowledged;
  }

  long failed() {
    return failed;
  }

  /** Does one random operation. */
  void step() {
    String name = "file-" + random.nextInt(NAMES);
    int kind = random.nextInt(10);
    if (kind < 6) {
      replace(name);
    } else if (kind < 8) {
      rename(name, "file-" + random.nextInt(NAMES));
    } else {
      unlink(name);
    }
  }

  private Set<Optional<Content>> of(String name) {
    return possible.computeIfAbsent(name, key -> nothing());
  }

  private static Set<Optional<Content>> nothing() {
    Set<Optional<Content>> contents = new TreeSet<>(ORDER);
    contents.add(Optional.empty());
    return contents;
  }

  private static final java.util.Comparator<Optional<Content>> ORDER =
      java.util.Comparator.comparingLong((Optional<Content> c) -> c.map(Content::seed).orElse(0L));

  private void replace(String name) {
    Content content =
        new Content(1 + random.nextLong(Long.MAX_VALUE), LENGTHS[random.nextInt(LENGTHS.length)]);
    Set<Optional<Content>> before = of(name);
    WeftPath target = directory.child(name);
    WeftPath fresh = directory.child(name + ".new");
    try {
      try (WeftOutputStream out = files.create(fresh, CreateOptions.replacing())) {
        write(out, content);
      }
      files.rename(fresh, target, true);
      before.clear();
      acknowledged++;
    } catch (IOException e) {
      failed++;
    }
    before.add(Optional.of(content));
  }

  private void rename(String from, String to) {
    if (from.equals(to)) {
      return;
    }
    Set<Optional<Content>> source = of(from);
    Set<Optional<Content>> target = of(to);
    Set<Optional<Content>> moved =
        source.stream()
            .filter(Optional::isPresent)
            .collect(Collectors.toCollection(() -> new TreeSet<>(ORDER)));
    if (source.size() != 1 || moved.isEmpty()) {
      // Whether it may succeed is not known: leave it.
      return;
    }
    try {
      files.rename(directory.child(from), directory.child(to), true);
      source.clear();
      target.clear();
      acknowledged++;
    } catch (IOException e) {
      failed++;
    }
    source.add(Optional.empty());
    target.addAll(moved);
  }

  private void unlink(String name) {
    Set<Optional<Content>> before = of(name);
    if (before.size() != 1 || before.contains(Optional.<Content>empty())) {
      return;
    }
    try {
      files.unlink(directory.child(name));
      before.clear();
      acknowledged++;
    } catch (IOException e) {
      failed++;
    }
    before.add(Optional.empty());
  }

  private static void write(OutputStream out, Content content) throws IOException {
    byte[] bytes = new byte[content.lengthBytes()];
    new Random(content.seed()).nextBytes(bytes);
    out.write(bytes);
  }

  /** Compares everything; returns how many files were read. */
  int verify() throws IOException {
    Map<String, FileStatus> found = new TreeMap<>();
    for (FileStatus status : files.listAll(directory)) {
      found.put(status.path().name(), status);
    }
    int read = 0;
    for (Map.Entry<String, Set<Optional<Content>>> entry : possible.entrySet()) {
      boolean there = found.containsKey(entry.getKey());
      if (!there) {
        require(entry.getValue().contains(Optional.<Content>empty()), entry, "is gone");
        continue;
      }
      byte[] bytes = read(directory.child(entry.getKey()));
      require(
          entry.getValue().stream()
              .flatMap(Optional::stream)
              .anyMatch(content -> matches(content, bytes)),
          entry,
          "holds " + bytes.length + " bytes that no client wrote there");
      read++;
    }
    for (String name : found.keySet()) {
      if (!name.endsWith(".new")) {
        require(possible.containsKey(name), Map.entry(name, Set.of()), "was never made");
      }
    }
    return read;
  }

  private byte[] read(WeftPath path) throws IOException {
    try (InputStream in = files.open(path)) {
      return in.readAllBytes();
    }
  }

  private static boolean matches(Content content, byte[] bytes) {
    if (content.lengthBytes() != bytes.length) {
      return false;
    }
    byte[] expected = new byte[bytes.length];
    new Random(content.seed()).nextBytes(expected);
    return java.util.Arrays.equals(expected, bytes);
  }

  private void require(boolean holds, Map.Entry<String, ?> entry, String what) {
    if (!holds) {
      throw new AssertionError(
          directory.child(entry.getKey()) + " " + what + "; possible were " + entry.getValue());
    }
  }
}
