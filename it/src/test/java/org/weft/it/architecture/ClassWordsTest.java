package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The last word of a class's name says what the class is. The last word is a suffix of the
 * glossary, or a word that other classes ended in when the list was closed. Those are in {@code
 * class-words.txt}, which only gets shorter. Tests may be named by any word.
 */
class ClassWordsTest {
  /** Fewer would mean that not all modules were looked at. */
  private static final int MIN_CLASSES = 2_000;

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern LAST_WORD = Pattern.compile("(?:[A-Z][a-z0-9]*|[A-Z0-9]+)$");

  /** A row of the glossary's table: one suffix, or several of one meaning. */
  private static final Pattern SUFFIXES =
      Pattern.compile("(?m)^\\| (\\*\\*\\w+\\*\\*(?:, \\*\\*\\w+\\*\\*)*) \\| ");

  private static final Pattern SUFFIX = Pattern.compile("\\w+");

  /**
   * What is wrong with the names of classes: new words, and closed words that no class ends in.
   *
   * @param closed words besides the suffixes
   */
  private static List<String> problems(
      List<String> classes, Set<String> suffixes, Set<String> closed) {
    Set<String> unused = new TreeSet<>(closed);
    Set<String> problems = new TreeSet<>();
    for (String name : classes) {
      String word = lastWord(name);
      unused.remove(word);
      if (!suffixes.contains(word) && !closed.contains(word)) {
        problems.add(name + " ends in a new word; take a suffix of docs/glossary.md");
      }
    }
    for (String word : unused) {
      problems.add(word + " is no class's last word any more; take it out of class-words.txt");
    }
    for (String word : closed) {
      if (suffixes.contains(word)) {
        problems.add(word + " is a suffix of docs/glossary.md; take it out of class-words.txt");
      }
    }
    return List.copyOf(problems);
  }

  private static String lastWord(String name) {
    Matcher word = LAST_WORD.matcher(name);
    return word.find() ? word.group() : name;
  }

  /** Simple names of classes that are no tests. */
  private static List<String> classes() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .map(file -> ROOT.relativize(file).toString())
          .filter(file -> file.matches("(?:[\\w-]+/)+src/main/java/.*/[A-Z]\\w*\\.java"))
          .map(file -> file.substring(file.lastIndexOf('/') + 1, file.length() - ".java".length()))
          .sorted()
          .toList();
    }
  }

  private static Set<String> suffixes() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/glossary.md"));
    String section = page.substring(page.indexOf("\n### Suffixes\n"));
    return SUFFIXES
        .matcher(section)
        .results()
        .flatMap(row -> SUFFIX.matcher(row.group(1)).results())
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> closed() throws IOException {
    try (InputStream words = ClassWordsTest.class.getResourceAsStream("class-words.txt")) {
      return new String(words.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void everyClassEndsInAWordOfTheClosedList() throws IOException {
    List<String> classes = classes();
    assertTrue(classes.size() >= MIN_CLASSES, "classes: " + classes.size());
    Set<String> suffixes = suffixes();
    assertTrue(suffixes.size() >= 18, "suffixes: " + suffixes);
    assertEquals(List.of(), problems(classes, suffixes, new TreeSet<>(closed())));
  }

  @Test
  void theClosedWordsAreInOrderAndOnce() throws IOException {
    assertEquals(List.copyOf(new TreeSet<>(closed())), closed());
  }

  @Test
  void newSuffixAndUnusedSuffixAreSeen() {
    Set<String> suffixes = Set.of("Codec");
    Set<String> closed = Set.of("Layout", "IO");
    List<String> good = List.of("NodeCodec", "Layout", "DiskIO");
    assertEquals(List.of(), problems(good, suffixes, closed));
    assertEquals(
        1,
        problems(List.of("NodeCodec", "Layout", "DiskIO", "NodeShapes"), suffixes, closed).size());
    assertEquals(1, problems(List.of("NodeCodec", "Layout"), suffixes, closed).size());
    assertEquals(1, problems(good, Set.of("Codec", "Layout"), closed).size());
  }
}
