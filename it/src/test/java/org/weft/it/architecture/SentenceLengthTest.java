package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A sentence that must be read twice hides what it says. So no sentence in a comment of main code
 * has more than 25 words, and no name of a test more than 12. How many a module still has of both
 * is in {@code long-sentences.txt}. Those numbers only fall: a module that has fewer by now must
 * say so there.
 */
class SentenceLengthTest {
  private static final int MAX_WORDS = 25;
  private static final int MAX_WORDS_OF_NAME = 12;

  /** Fewer would mean that not all modules were looked at. */
  private static final int MIN_SENTENCES = 10_000;

  private static final int MIN_NAMES = 4_000;

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern TEST =
      Pattern.compile("(?m)^ +@(?:Test|ParameterizedTest|RepeatedTest|ArchTest)\\b");

  private static final Pattern METHOD = Pattern.compile("\\bvoid\\s+(\\w+)\\s*\\(");
  private static final Pattern WORD_OF_NAME =
      Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+");

  private record Source(String module, String file, String text) {}

  /** The Java sources of all modules below that folder of each. */
  private static List<Source> sources(String folder) throws IOException {
    List<Source> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        Path below = module.resolve(folder);
        if (!Files.isDirectory(below)) {
          continue;
        }
        try (Stream<Path> files = Files.walk(below)) {
          for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
            sources.add(
                new Source(
                    module.getFileName().toString(),
                    ROOT.relativize(file).toString(),
                    Files.readString(file)));
          }
        }
      }
    }
    return sources;
  }

  private static List<String> namesOfTests(String source) {
    List<String> names = new ArrayList<>();
    Matcher test = TEST.matcher(source);
    Matcher method = METHOD.matcher(source);
    while (test.find()) {
      if (method.find(test.end())) {
        names.add(method.group(1));
      }
    }
    return names;
  }

  private static long wordsOfName(String name) {
    return WORD_OF_NAME.matcher(name).results().count();
  }

  /**
   * What is wrong with the numbers of modules.
   *
   * @param frozen how many each module may have, and must have
   */
  private static List<String> problems(
      Map<String, List<String>> found, Map<String, Integer> frozen) {
    TreeSet<String> modules = new TreeSet<>(found.keySet());
    modules.addAll(frozen.keySet());
    List<String> problems = new ArrayList<>();
    for (String module : modules) {
      List<String> there = found.getOrDefault(module, List.of());
      int allowed = frozen.getOrDefault(module, 0);
      if (there.size() > allowed) {
        problems.add(
            "%s has %d, and %d are allowed; make short ones of these:\n  %s"
                .formatted(module, there.size(), allowed, String.join("\n  ", there)));
      } else if (there.size() < allowed) {
        problems.add(
            "%s has only %d by now; write that in place of %d into long-sentences.txt"
                .formatted(module, there.size(), allowed));
      }
    }
    return problems;
  }

  /** The numbers of a kind, {@code sentences} or {@code names}, by module. */
  private static Map<String, Integer> frozen(String kind) throws IOException {
    Map<String, Integer> numbers = new TreeMap<>();
    try (InputStream lines = SentenceLengthTest.class.getResourceAsStream("long-sentences.txt")) {
      for (String line :
          new String(lines.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        String[] fields = line.split(" ");
        assertEquals(3, fields.length, line);
        if (fields[0].equals(kind)) {
          numbers.put(fields[1], Integer.parseInt(fields[2]));
        }
      }
    }
    return numbers;
  }

  private static void add(SortedMap<String, List<String>> found, Source source, String what) {
    found.computeIfAbsent(source.module(), module -> new ArrayList<>()).add(what);
  }

  @Test
  void commentsOfMainCodeHaveShortSentences() throws IOException {
    SortedMap<String, List<String>> found = new TreeMap<>();
    int looked = 0;
    for (Source source : sources("src/main/java")) {
      for (CommentSentences.Sentence each : CommentSentences.of(source.text())) {
        looked++;
        if (each.words() > MAX_WORDS) {
          String place = source.file() + ":" + each.line() + ": ";
          add(found, source, place + each.words() + " words: " + each.text());
        }
      }
    }
    assertTrue(looked >= MIN_SENTENCES, "sentences: " + looked);
    assertEquals(List.of(), problems(found, frozen("sentences")));
  }

  @Test
  void testsHaveShortNames() throws IOException {
    SortedMap<String, List<String>> found = new TreeMap<>();
    int looked = 0;
    for (Source source : sources("src/test/java")) {
      for (String name : namesOfTests(source.text())) {
        looked++;
        if (wordsOfName(name) > MAX_WORDS_OF_NAME) {
          add(found, source, source.file() + ": " + name);
        }
      }
    }
    assertTrue(looked >= MIN_NAMES, "names: " + looked);
    assertEquals(List.of(), problems(found, frozen("names")));
  }

  @Test
  void aLongSentenceIsSeenInEachKindOfComment() {
    String words = "one ".repeat(MAX_WORDS) + "more";
    for (String source :
        List.of(
            "/** " + words + ". */",
            "/**\n * Short.\n *\n * <p>" + words + "\n */",
            "/**\n * @param a " + words + "\n */",
            "x(); // " + words.replace(" one more", "\n  // one more"),
            "String s = \"/*\"; /* " + words + " */",
            "/** {@code a b} " + words.substring("one ".length()) + ". Short. */")) {
      assertEquals(1, longOnes(source), source);
    }
  }

  @Test
  void shortSentencesAndDrawingsAreNotSeen() {
    String half = "one ".repeat(MAX_WORDS - 1) + "end";
    for (String source :
        List.of(
            "/** " + half + ". " + half + " */",
            "/** " + half + "\n *\n * @return " + half + "\n * @throws X " + half + " */",
            "/** <ul><li>" + half + "<li>" + half + "</ul> */",
            "/** <pre>" + half + " " + half + "</pre> */",
            "// " + half + "\n\n// " + half,
            "String s = \"// " + half + " " + half + "\";",
            "/** {@link A b c d e} " + half.substring("one ".length()) + " */")) {
      assertEquals(0, longOnes(source), source);
    }
  }

  @Test
  void aCommentsLineIsItsFirst() {
    List<CommentSentences.Sentence> found =
        CommentSentences.of("package a;\n\n/**\n * One.\n * Two.\n */\nclass A {} // Three.\n");
    assertEquals(List.of(3, 3, 7), found.stream().map(CommentSentences.Sentence::line).toList());
    assertEquals("Two.", found.get(1).text());
  }

  @Test
  void namesOfAllKindsOfTestsAreRead() {
    String source =
        """
          @Test
          void aFileIsRead() {}

          @ParameterizedTest
          @ValueSource(ints = {1, 2})
          void aFile4KiBLongIsWritten(int each) {}

          void aHelperOfTests() {}
        """;
    assertEquals(List.of("aFileIsRead", "aFile4KiBLongIsWritten"), namesOfTests(source));
    assertEquals(8, wordsOfName("aFile4KiBLongIsWritten"));
  }

  @Test
  void aNumberThatRisesOrCouldFallIsSeen() {
    Map<String, List<String>> found = Map.of("cli", List.of("a", "b"));
    assertEquals(List.of(), problems(found, Map.of("cli", 2)));
    assertEquals(1, problems(found, Map.of("cli", 1)).size());
    assertEquals(1, problems(found, Map.of("cli", 3)).size());
    assertEquals(1, problems(found, Map.of()).size());
    assertEquals(1, problems(found, Map.of("cli", 2, "soak", 1)).size());
  }

  private static long longOnes(String source) {
    return CommentSentences.of(source).stream().filter(each -> each.words() > MAX_WORDS).count();
  }
}
