package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A class has one idea; a file over 500 lines has more. */
class ClassSizeTest {
  private static final int MAX_LINES = 500;

  @Test
  void noSourceFileIsLongerThanFiveHundredLines() throws IOException {
    Path root = Path.of("..").toAbsolutePath().normalize();
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> file.toString().contains("/src/main/java/"))
              .toList();
      assertTrue(sources.size() > 50, "found the sources");
      assertEquals(
          List.of(),
          sources.stream()
              .filter(file -> lines(file) > MAX_LINES)
              .map(file -> root.relativize(file) + " has " + lines(file) + " lines")
              .toList());
    }
  }

  private static long lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
