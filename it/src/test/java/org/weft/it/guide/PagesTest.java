package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages for operators and data engineers say what the sources say, and lead where they point. */
class PagesTest {
  /** Enough to tell one message from another. */
  private static final int MIN_CHARS = 6;

  private static final int MIN_MESSAGES = 20;
  private static final Pattern MESSAGE = Pattern.compile("(?m)^### `(.*)`$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  private static final Pattern JOINED_LITERALS = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final Pattern FORMAT = Pattern.compile("%[,\\d]*[sdf]");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\n.*?^```$");

  /** Languages of the blocks that the job of a page runs: see {@code it/jobs} and its classes. */
  private static final Map<String, Set<String>> RUN_BY_JOBS =
      Map.of(
          "docs/engines/spark.md", Set.of("properties", "sh", "sql", "text"),
          "docs/engines/iceberg.md", Set.of("properties", "sql", "text"),
          "docs/engines/delta.md", Set.of("properties", "sql", "text"),
          "docs/engines/hive.md", Set.of("properties", "sql", "text"),
          "docs/engines/flink.md", Set.of("properties"),
          "docs/engines/hbase.md", Set.of("properties"),
          "docs/engines/mapreduce.md", Set.of("xml", "sh"),
          "docs/engines/yarn.md", Set.of("xml", "properties", "sh"),
          "docs/engines/distcp.md", Set.of("xml", "sh"),
          "docs/moving-from-hdfs.md", Set.of("xml", "sh"));

  /** Of these a job takes the first block; that of Spark tries all its settings. */
  private static final Set<String> TAKEN_ONCE = Set.of("xml", "properties");

  private static final String TRIES_ALL_SETTINGS = "docs/engines/spark.md";

  @Test
  void everyErrorOfThePageOccursInTheSources() throws IOException {
    List<String> sources = sources();
    List<String> gone = new ArrayList<>();
    int messages = 0;
    Matcher message = MESSAGE.matcher(Files.readString(root().resolve("docs/troubleshooting.md")));
    while (message.find()) {
      messages++;
      List<String> parts =
          Stream.of(message.group(1).split("\\.\\.\\."))
              .map(String::strip)
              .filter(part -> part.length() >= MIN_CHARS)
              .toList();
      assertTrue(!parts.isEmpty(), () -> "too little to look for: " + message.group(1));
      if (sources.stream().noneMatch(source -> parts.stream().allMatch(source::contains))) {
        gone.add(message.group(1));
      }
    }
    assertEquals(List.of(), gone, "no source file has all parts of these");
    assertTrue(messages >= MIN_MESSAGES, "messages on the page: " + messages);
  }

  @Test
  void linksOfThePagesLeadToFilesThatAreThere() throws IOException {
    List<String> broken = new ArrayList<>();
    List<Path> pages = new ArrayList<>(List.of(root().resolve("README.md")));
    try (Stream<Path> docs = Files.walk(root().resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    for (Path page : pages) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        if (!Files.exists(page.resolveSibling(link.group(1)))) {
          broken.add(root().relativize(page) + " -> " + link.group(1));
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  /** A block that no job takes would be a snippet that no run has ever tried. */
  @Test
  void everyBlockOfAnEnginePageIsRunByItsJob() throws IOException {
    Map<String, List<String>> notRun = new TreeMap<>();
    for (String page : pagesOfEngines()) {
      Set<String> run = RUN_BY_JOBS.getOrDefault(page, Set.of());
      List<String> languages = languages(page);
      for (String language : languages) {
        boolean again =
            Collections.frequency(languages, language) > 1
                && TAKEN_ONCE.contains(language)
                && !page.equals(TRIES_ALL_SETTINGS);
        if (again || !run.contains(language)) {
          notRun.computeIfAbsent(page, key -> new ArrayList<>()).add(language);
        }
      }
      if (!languages.containsAll(run)) {
        notRun.computeIfAbsent(page, key -> new ArrayList<>()).add("has none of " + run);
      }
    }
    assertEquals(Map.of(), notRun);
  }

  private static Set<String> pagesOfEngines() throws IOException {
    Set<String> pages = new TreeSet<>(RUN_BY_JOBS.keySet());
    try (Stream<Path> engines = Files.list(root().resolve("docs/engines"))) {
      engines.map(file -> root().relativize(file).toString()).forEach(pages::add);
    }
    return pages;
  }

  private static List<String> languages(String page) throws IOException {
    return BLOCK
        .matcher(Files.readString(root().resolve(page)))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  /** Every file of ours that ships, its literals joined and its placeholders as the page's dots. */
  private static List<String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(root())) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.toString().contains("/src/main/java/org/weft/"))
          .filter(file -> !file.startsWith(root().resolve("it")))
          .map(PagesTest::read)
          .map(text -> JOINED_LITERALS.matcher(text).replaceAll(""))
          .map(text -> FORMAT.matcher(text).replaceAll("..."))
          .toList();
    }
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The checkout. */
  static Path root() {
    return Path.of("..").toAbsolutePath().normalize();
  }
}
