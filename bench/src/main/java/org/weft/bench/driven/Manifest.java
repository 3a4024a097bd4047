package org.weft.bench.driven;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** What must be there, in a file that another client reads: a length and a path on each line. */
final class Manifest {
  /**
   * @param lengthBytes -1: it must not be there
   */
  record Entry(String path, long lengthBytes) {}

  private Manifest() {}

  /** Writes it, and counts the files. */
  static int write(SortedMap<String, Long> lengths, Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (var entry : lengths.entrySet()) {
        out.write(entry.getValue() + " " + entry.getKey() + "\n");
      }
    }
    return lengths.size();
  }

  static List<Entry> read(Path file) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      int blank = line.indexOf(' ');
      entries.add(new Entry(line.substring(blank + 1), Long.parseLong(line.substring(0, blank))));
    }
    return entries;
  }
}
