package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The bill of materials names what there is, and the pages name what is in it. It has no parent, so
 * that nothing else keeps its version in step.
 */
class BomTest {
  private static final Pattern VERSION = Pattern.compile("<version>([^<]*)</version>");
  private static final Pattern ARTIFACT =
      Pattern.compile("<artifactId>(weft-[a-z-]+)</artifactId>");
  private static final Pattern MANAGED =
      Pattern.compile("(?s)<dependencyManagement>(.*)</dependencyManagement>");
  private static final Pattern XML_BLOCK = Pattern.compile("(?s)```xml\n(.*?)```");

  private static Path root() {
    return Path.of("").toAbsolutePath().getParent();
  }

  private static String text(String file) throws IOException {
    return Files.readString(root().resolve(file));
  }

  private static String first(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    assertTrue(found.find(), () -> "nothing like " + pattern);
    return found.group(1);
  }

  private static Set<String> all(Pattern pattern, String text) {
    return new TreeSet<>(pattern.matcher(text).results().map(found -> found.group(1)).toList());
  }

  @Test
  void hasTheVersionOfTheProject() throws IOException {
    assertEquals(first(VERSION, text("pom.xml")), first(VERSION, text("bom/pom.xml")));
  }

  @Test
  void namesArtifactsThatModulesMake() throws IOException {
    Set<String> managed = all(ARTIFACT, first(MANAGED, text("bom/pom.xml")));
    assertNotEquals(Set.of(), managed);
    Set<String> made = new TreeSet<>();
    for (String module : all(Pattern.compile("<module>([^<]*)</module>"), text("pom.xml"))) {
      made.add(ownArtifact(text(module + "/pom.xml")));
    }
    assertTrue(made.containsAll(managed), () -> managed + " of " + made);
  }

  /** The first that is not the parent's. */
  private static String ownArtifact(String pom) {
    return first(ARTIFACT, pom.replaceAll("(?s)<parent>.*?</parent>", ""));
  }

  /** What a stranger copies into a pom resolves: one version, and only what has it. */
  @Test
  void hasAllThatThePagesDependOn() throws IOException {
    String bom = text("bom/pom.xml");
    Set<String> known = all(ARTIFACT, bom);
    List<String> wrong = new ArrayList<>();
    int blocks = 0;
    try (Stream<Path> docs = Files.walk(root().resolve("docs"))) {
      for (Path page : docs.filter(file -> file.toString().endsWith(".md")).toList()) {
        Matcher block = XML_BLOCK.matcher(Files.readString(page));
        while (block.find()) {
          for (String artifact : all(ARTIFACT, block.group(1))) {
            blocks++;
            boolean isBom = artifact.equals("weft-bom");
            boolean isRight =
                known.contains(artifact)
                    && (!isBom || first(VERSION, block.group(1)).equals(first(VERSION, bom)));
            if (!isRight) {
              wrong.add(root().relativize(page) + ": " + artifact);
            }
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(blocks > 1, "the Java guide depends on the bill and on an artifact");
  }
}
