package org.weft.bench.cold;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the systems that take turns.
 *
 * @param label its name in tables
 * @param root URI of a directory in which its commands work
 * @param classPath of its client JVMs
 */
record ColdSystem(String label, String root, String classPath) {
  private static final int FIELDS = 3;

  /** From a file with a label, a URI and a class path on each line, parted by tabs. */
  static List<ColdSystem> read(Path file) throws IOException {
    List<ColdSystem> systems = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split("\t", FIELDS);
      if (line.isBlank()) {
        continue;
      }
      if (fields.length < FIELDS) {
        throw new IllegalArgumentException(
            file + ": expected LABEL, URI and CLASS PATH parted by tabs, got '" + line + "'");
      }
      systems.add(new ColdSystem(fields[0], fields[1], fields[2]));
    }
    return systems;
  }
}
