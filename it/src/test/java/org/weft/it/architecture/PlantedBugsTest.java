package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The bugs that {@code it/planted-bugs} plants still fit the sources. A patch whose lines have
 * moved on is found here, and not in the next search for its bug.
 */
class PlantedBugsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path SCENARIOS =
      Path.of("src/test/java/org/weft/it/simulation/scenario").toAbsolutePath();
  private static final Pattern HUNK =
      Pattern.compile("@@ -(\\d+)(?:,(\\d+))? \\+\\d+(?:,(\\d+))? @@.*");

  /**
   * One place that is changed.
   *
   * @param line where the patch says that it begins, from 1
   */
  private record Hunk(int line, List<String> before, List<String> after) {}

  private record FileChange(String file, List<Hunk> hunks) {}

  private static List<Path> patches() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/planted"))) {
      List<Path> patches =
          files.filter(file -> file.toString().endsWith(".patch")).sorted().toList();
      assertTrue(patches.size() > 50, "found the patches");
      return patches;
    }
  }

  private static String name(Path patch) {
    return patch.getFileName().toString();
  }

  private static List<FileChange> changes(List<String> patch) {
    List<FileChange> changes = new ArrayList<>();
    int at = 0;
    while (at < patch.size()) {
      String line = patch.get(at++);
      if (line.startsWith("+++ b/")) {
        changes.add(new FileChange(line.substring("+++ b/".length()), new ArrayList<>()));
        continue;
      }
      Matcher head = HUNK.matcher(line);
      if (head.matches()) {
        List<String> before = new ArrayList<>();
        List<String> after = new ArrayList<>();
        int beforeLines = head.group(2) == null ? 1 : Integer.parseInt(head.group(2));
        int afterLines = head.group(3) == null ? 1 : Integer.parseInt(head.group(3));
        while (before.size() < beforeLines || after.size() < afterLines) {
          String changed = at < patch.size() ? patch.get(at++) : "";
          String content = changed.isEmpty() ? "" : changed.substring(1);
          if (!changed.startsWith("+")) {
            before.add(content);
          }
          if (!changed.startsWith("-")) {
            after.add(content);
          }
        }
        int first = Integer.parseInt(head.group(1));
        changes.get(changes.size() - 1).hunks().add(new Hunk(first, before, after));
      }
    }
    return changes;
  }

  /**
   * The line from 0 at or behind {@code from} that is nearest to the hunk's own; -1: it fits
   * nowhere.
   */
  private static int placeOf(Hunk hunk, List<String> source, int from) {
    int found = -1;
    for (int at = from; at + hunk.before().size() <= source.size(); at++) {
      boolean fits = source.subList(at, at + hunk.before().size()).equals(hunk.before());
      boolean isNearer = found < 0 || Math.abs(at - hunk.line()) < Math.abs(found - hunk.line());
      if (fits && isNearer) {
        found = at;
      }
    }
    return found;
  }

  private static List<String> misfits(Path patch) throws IOException {
    List<String> misfits = new ArrayList<>();
    List<FileChange> changes = changes(Files.readAllLines(patch));
    if (changes.isEmpty()) {
      misfits.add(name(patch) + " changes no file");
    }
    for (FileChange change : changes) {
      Path file = ROOT.resolve(change.file());
      List<String> source = Files.exists(file) ? Files.readAllLines(file) : List.of();
      int from = 0;
      for (Hunk hunk : change.hunks()) {
        int place = placeOf(hunk, source, from);
        boolean isChange = !hunk.before().equals(hunk.after());
        if (place < 0 || !isChange) {
          misfits.add(
              "%s: line %d of %s is not as the patch says; make it anew"
                  .formatted(name(patch), hunk.line(), change.file()));
        } else {
          from = place + hunk.before().size();
        }
      }
    }
    return misfits;
  }

  @Test
  void everyPatchFitsTheSources() throws IOException {
    List<String> misfits = new ArrayList<>();
    for (Path patch : patches()) {
      misfits.addAll(misfits(patch));
    }
    assertEquals(List.of(), misfits);
  }

  @Test
  void everyPatchSaysWhatItBreaksAndHowItIsFound() throws IOException {
    List<String> wrong = new ArrayList<>();
    TreeSet<String> numbers = new TreeSet<>();
    for (Path patch : patches()) {
      List<String> lines = Files.readAllLines(patch);
      for (String field : List.of("What: ", "Rule: ")) {
        if (lines.stream().noneMatch(line -> line.startsWith(field))) {
          wrong.add(name(patch) + " has no line that begins with " + field);
        }
      }
      if (!numbers.add(name(patch).split("-", 2)[0])) {
        wrong.add(name(patch) + " has the number of another one");
      }
      List<String> scripts =
          lines.stream()
              .filter(line -> line.startsWith("Script: "))
              .flatMap(line -> Stream.of(line.substring("Script: ".length()).split(" ")))
              .toList();
      boolean isSearched = lines.stream().anyMatch(line -> line.startsWith("Search: "));
      if (scripts.isEmpty() && !isSearched) {
        wrong.add(name(patch) + " names neither a search nor a script");
      }
      for (String script : scripts) {
        if (!Files.exists(SCENARIOS.resolve(script + ".java"))) {
          wrong.add(name(patch) + " names the script " + script + ", which is not there");
        }
      }
    }
    assertEquals(List.of(), wrong);
  }
}
