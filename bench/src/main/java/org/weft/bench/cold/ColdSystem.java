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
 * @param before words of a command that starts them; empty: nothing does
 */
record ColdSystem(String label, String root, String classPath, List<String> before) {
  private static final int FIELDS = 3;

  /**
   * From a file with a label, a URI, a class path and perhaps a command before Java on each line,
   * parted by tabs.
   */
  static List<ColdSystem> read(Path file) throws IOException {
    List<ColdSystem> systems = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split("\t", FIELDS + 1);
      if (line.isBlank()) {
        continue;
      }
      if (fields.length < FIELDS) {
        throw new IllegalArgumentException(
            file + ": expected LABEL, URI and CLASS PATH parted by tabs, got '" + line + "'");
      }
      List<String> before =
          fields.length == FIELDS ? List.of() : List.of(fields[FIELDS].split(" ", -1));
      systems.add(new ColdSystem(fields[0], fields[1], fields[2], before));
    }
    return systems;
  }
}
