package org.weft.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the systems that take turns.
 *
 * @param label its name in tables
 * @param directory where its loads work
 * @param command a line for the shell that starts a driven client process
 */
record BenchedSystem(String label, String directory, String command) {
  private static final int FIELDS = 3;

  /** From a file with a label, a directory and a command on each line, parted by tabs. */
  static List<BenchedSystem> read(Path file) throws IOException {
    List<BenchedSystem> systems = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split("\t", FIELDS);
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (fields.length < FIELDS) {
        throw new IllegalArgumentException(
            file + ": expected LABEL, DIRECTORY and COMMAND parted by tabs, got '" + line + "'");
      }
      systems.add(new BenchedSystem(fields[0], fields[1], fields[2]));
    }
    return systems;
  }
}
