package org.weft.soak;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.TreeSet;

/** Files that are taken from their clients, so that the clients' logs no longer describe them. */
final class TakenFiles {
  private static final String FILE = "taken";

  private final Path file;

  TakenFiles(Path logs) {
    this.file = logs.resolve(FILE);
  }

  /** To be called before the file is taken. */
  void add(String path) throws IOException {
    Files.writeString(
        file,
        path + "\n",
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  Set<String> all() throws IOException {
    return Files.exists(file) ? new TreeSet<>(Files.readAllLines(file)) : Set.of();
  }
}
