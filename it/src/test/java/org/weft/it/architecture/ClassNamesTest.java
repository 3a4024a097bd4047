package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A simple name is that of one class, whichever module it is in: tests, tools, simulator and soak
 * count too. Counts sources, since no class path has them all.
 */
class ClassNamesTest {
  /** Fewer would mean that not all modules were looked at. */
  private static final int MIN_CLASSES = 3_000;

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Paths of the sources of classes, from the root of the checkout on. */
  private static List<String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .map(file -> ROOT.relativize(file).toString())
          .filter(file -> file.matches("(?:[\\w-]+/)+src/(?:main|test)/java/.*/[A-Z]\\w*\\.java"))
          .sorted()
          .toList();
    }
  }

  /** The names of more than one source, and those sources. */
  private static Map<String, List<String>> shared(Collection<String> sources) {
    Map<String, List<String>> byName =
        sources.stream()
            .collect(
                Collectors.groupingBy(
                    source -> source.substring(source.lastIndexOf('/') + 1),
                    TreeMap::new,
                    Collectors.toList()));
    byName.values().removeIf(of -> of.size() == 1);
    return byName;
  }

  @Test
  void noTwoClassesHaveOneName() throws IOException {
    List<String> sources = sources();
    assertTrue(sources.size() >= MIN_CLASSES, "sources: " + sources.size());
    assertEquals(Map.of(), shared(sources));
  }

  @Test
  void aSecondClassOfANameIsSeen() {
    List<String> twice = List.of("a/src/main/java/p/Load.java", "b/src/test/java/q/Load.java");
    assertEquals(
        Map.of("Load.java", twice),
        shared(List.of(twice.get(0), twice.get(1), "b/src/test/java/q/Loads.java")));
  }
}
