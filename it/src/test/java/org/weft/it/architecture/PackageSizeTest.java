package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each package of any module is small enough to be known whole. Counts sources: the Hadoop
 * connector is on no class path here.
 */
class PackageSizeTest {
  private static final int MAX_CLASSES = 40;

  /** Fewer would mean that nothing was looked at. */
  private static final int MIN_PACKAGES = 150;

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static SortedMap<String, Long> classesByPackage() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .map(file -> ROOT.relativize(file).toString())
          .filter(file -> file.matches("(?:[\\w-]+/)+src/main/java/.*/[A-Z]\\w*\\.java"))
          .map(file -> file.substring(0, file.lastIndexOf('/')))
          .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    }
  }

  /** Those that have too many. */
  private static List<String> large(Collection<Map.Entry<String, Long>> packages) {
    return packages.stream()
        .filter(each -> each.getValue() > MAX_CLASSES)
        .map(each -> each.getKey() + " has " + each.getValue() + " classes")
        .toList();
  }

  @Test
  void noPackageHasMoreThanFortyClasses() throws IOException {
    SortedMap<String, Long> packages = classesByPackage();
    assertTrue(packages.size() >= MIN_PACKAGES, packages::toString);
    assertTrue(packages.containsKey("hadoop-fs/src/main/java/org/weft/hadoop"));
    assertEquals(List.of(), large(packages.entrySet()));
  }

  @Test
  void aPackageOfFortyOneClassesIsSeen() {
    assertEquals(
        List.of("b has 41 classes"), large(Map.of("a", 40L, "b", 41L, "c", 1L).entrySet()));
  }
}
