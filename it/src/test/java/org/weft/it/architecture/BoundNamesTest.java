package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Constants that bound something are named by MAX and MIN, as the glossary asks, and by no other
 * word for that. Sources of all modules are read, tests and tools included.
 */
class BoundNamesTest {
  /** Fewer would mean that not all modules were read. */
  private static final int MIN_BOUNDS = 700;

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Set<String> REFUSED =
      Set.of(
          "MOST",
          "LEAST",
          "LONGEST",
          "SHORTEST",
          "HIGHEST",
          "LOWEST",
          "LARGEST",
          "SMALLEST",
          "SLOWEST",
          "FASTEST",
          "FEW",
          "FEWEST",
          "MAXIMUM",
          "MINIMUM");

  private static final Set<String> BOUNDS = Set.of("MAX", "MIN");

  /** Of a class or an interface: {@code final} is not written in the latter. */
  private static final Pattern CONSTANT =
      Pattern.compile(
          "(?m)^ *(?:(?:public|protected|private|static|final) +)*"
              + "(?!return\\b|throw\\b|yield\\b|case\\b)[A-Za-z][\\w.]*(?:<[^=;(){}]*>)?(?:\\[])*"
              + "\\s+([A-Z][A-Z0-9_]*)\\s*[=;]");

  @Test
  void boundsAreNamedByMaxAndMin() throws IOException {
    Set<String> refused = new TreeSet<>();
    int bounds = 0;
    for (Path source : sources()) {
      for (String constant : constants(Files.readString(source))) {
        if (hasWordOf(REFUSED, constant)) {
          refused.add(ROOT.relativize(source) + ": " + constant);
        }
        bounds += hasWordOf(BOUNDS, constant) ? 1 : 0;
      }
    }
    assertEquals(Set.of(), refused, "say MAX or MIN, or what the number is for");
    assertTrue(bounds >= MIN_BOUNDS, "bounds: " + bounds);
  }

  /** Each declares one constant of another word, which the check above is to see. */
  @Test
  void boundWithAnotherPrefixIsSeen() {
    for (String declared :
        List.of(
            "  private static final int MOST_BYTES = 1;",
            "  static final long LEAST =\n      1;",
            "  int LONGEST_NAME = 255;",
            "  public static final Map<String, List<Integer>> DEFAULT_FEW_NAMES = Map.of();",
            "  private static final byte[] HIGHEST;")) {
      assertTrue(constants(declared).stream().anyMatch(name -> hasWordOf(REFUSED, name)), declared);
    }
  }

  @Test
  void usesAndPartsOfNamesDoNotCount() {
    for (String other :
        List.of(
            "    return MOST_BYTES;",
            "  private static final int FEWER_BYTES = 1;",
            "  private static final int ALMOST_FULL_PERCENT = 90;",
            "  // int MOST_BYTES = 1;",
            "  HEDGED_LEAST(\"hedged.least\"),")) {
      assertEquals(
          List.of(),
          constants(other).stream().filter(name -> hasWordOf(REFUSED, name)).toList(),
          other);
    }
  }

  private static boolean hasWordOf(Set<String> words, String constant) {
    return Stream.of(constant.split("_", -1)).anyMatch(words::contains);
  }

  private static List<String> constants(String source) {
    return CONSTANT.matcher(source).results().map(found -> found.group(1)).toList();
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(
              file ->
                  ROOT.relativize(file)
                      .toString()
                      .matches("(?:[\\w-]+/)+src/(?:main|test)/java/.*\\.java"))
          .collect(Collectors.toList());
    }
  }
}
