package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages for operators and data engineers say what the sources say, and lead where they point. */
class PagesTest {
  /** Enough to tell one message from another. */
  private static final int LEAST_CHARS = 6;

  private static final int LEAST_MESSAGES = 20;
  private static final Pattern MESSAGE = Pattern.compile("(?m)^### `(.*)`$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  private static final Pattern JOINED_LITERALS = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final Pattern FORMAT = Pattern.compile("%[,\\d]*[sdf]");

  @Test
  void everyErrorOfThePageIsStillSaidByTheSources() throws IOException {
    List<String> sources = sources();
    List<String> gone = new ArrayList<>();
    int messages = 0;
    Matcher message = MESSAGE.matcher(Files.readString(root().resolve("docs/troubleshooting.md")));
    while (message.find()) {
      messages++;
      List<String> parts =
          Stream.of(message.group(1).split("\\.\\.\\."))
              .map(String::strip)
              .filter(part -> part.length() >= LEAST_CHARS)
              .toList();
      assertTrue(!parts.isEmpty(), () -> "too little to look for: " + message.group(1));
      if (sources.stream().noneMatch(source -> parts.stream().allMatch(source::contains))) {
        gone.add(message.group(1));
      }
    }
    assertEquals(List.of(), gone, "no source file has all parts of these");
    assertTrue(messages >= LEAST_MESSAGES, "messages on the page: " + messages);
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

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path root() {
    return Path.of("..").toAbsolutePath().normalize();
  }
}
