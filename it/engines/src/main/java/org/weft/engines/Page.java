package org.weft.engines;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The fenced blocks of a page, by their languages. */
record Page(Path file, List<Block> blocks) {
  private static final String FENCE = "```";

  /** One block; blocks of the language {@code text} are what the block before prints. */
  record Block(String language, String text) {}

  static Page of(Path file) throws IOException {
    List<Block> blocks = new ArrayList<>();
    StringBuilder text = null;
    String language = "";
    for (String line : Files.readAllLines(file)) {
      if (!line.startsWith(FENCE)) {
        if (text != null) {
          text.append(line).append('\n');
        }
      } else if (text == null) {
        text = new StringBuilder();
        language = line.substring(FENCE.length()).trim();
      } else {
        blocks.add(new Block(language, text.toString()));
        text = null;
      }
    }
    Run.require(text == null, file + ": a block is not closed");
    return new Page(file, List.copyOf(blocks));
  }

  /** All blocks of a language. */
  List<String> of(String language) {
    return blocks.stream()
        .filter(each -> each.language().equals(language))
        .map(Block::text)
        .toList();
  }

  /** The commands of the blocks of the language {@code sh}, without comments. */
  List<String> commands() {
    List<String> commands =
        of("sh").stream()
            .flatMap(block -> block.replace("\\\n", " ").lines())
            .map(line -> line.replaceAll("(^|\\s)#.*", "").strip())
            .filter(command -> !command.isEmpty())
            .toList();
    Run.require(!commands.isEmpty(), file + " has no commands");
    return commands;
  }

  /** The n-th block of Java properties, counted from 0. */
  Map<String, String> properties(int number) throws IOException {
    List<String> all = of("properties");
    Run.require(number < all.size(), file + " has no " + (number + 1) + ". block of properties");
    Properties read = new Properties();
    read.load(new StringReader(all.get(number)));
    Map<String, String> sorted = new TreeMap<>();
    read.stringPropertyNames().forEach(key -> sorted.put(key, read.getProperty(key)));
    return sorted;
  }

  /** The first block of XML: a core-site.xml. */
  String coreSite() {
    return of("xml").stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError(file + " has no core-site.xml"));
  }
}
