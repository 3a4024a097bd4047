package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.it.guide.PagesTest.read;
import static org.weft.it.guide.PagesTest.root;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages that lead into the code name classes and packages that exist. Their sequence diagrams
 * keep to the part of Mermaid that every reader draws.
 */
class PageNamesTest {
  private static final List<String> PAGES =
      List.of("docs/architecture.md", "docs/formats.md", "docs/glossary.md");

  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern TYPE_NAME = Pattern.compile("[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*");

  /** A word of a diagram with two capitals or more is the name of a class. */
  private static final Pattern TYPE_IN_TEXT =
      Pattern.compile("\\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\\b");

  /** No class of ours, nor one that we import. */
  private static final Set<String> NO_TYPES = Set.of("SysMgr", "AbstractFileSystem");

  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|record|interface|enum|message) +([A-Z]\\w*)");
  private static final Pattern IMPORTED = Pattern.compile("(?m)^import [\\w.]+\\.([A-Z]\\w*);");

  /** A row of the concept map: concept, package, class, and what else to open. */
  private static final Pattern CONCEPT =
      Pattern.compile("(?m)^\\| [^|`]+ \\| `([a-z.]+)` \\| `(\\w+)` \\| ");

  private static final Pattern DIAGRAM = Pattern.compile("(?s)```mermaid\n(.*?)```");
  private static final Pattern PARTICIPANT = Pattern.compile("participant (\\w+) as \\S.*");
  private static final Pattern ARROW = Pattern.compile("(\\w+)--?>>(\\w+): \\S.*");
  private static final Pattern NOTE = Pattern.compile("Note over (\\w+)(?:,(\\w+))?: \\S.*");
  private static final Pattern BLOCK = Pattern.compile("(?:alt|opt|loop|par) \\S.*");
  private static final Pattern BRANCH = Pattern.compile("(?:else|and) \\S.*");

  @Test
  void everyClassThatAPageNamesIsInTheSources() throws IOException {
    Set<String> known = typesOfTheSources();
    Set<String> unknown = new TreeSet<>();
    int named = 0;
    for (String page : PAGES) {
      for (String type : typesNamedIn(read(root().resolve(page)))) {
        named++;
        if (!known.contains(type)) {
          unknown.add(page + ": " + type);
        }
      }
    }
    assertEquals(Set.of(), unknown, "no source declares or imports these");
    assertTrue(named > 300, "names on the pages: " + named);
  }

  @Test
  void everyConceptLeadsToAClassOfItsPackage() throws IOException {
    Set<String> files = filesOfTheSources();
    List<String> lost = new ArrayList<>();
    int concepts = 0;
    Matcher row = CONCEPT.matcher(read(root().resolve("docs/architecture.md")));
    while (row.find()) {
      concepts++;
      String file = fileOf(row.group(1), row.group(2));
      if (!files.contains(file)) {
        lost.add(file);
      }
    }
    assertEquals(List.of(), lost);
    assertTrue(concepts >= 60, "concepts in the map: " + concepts);
  }

  @Test
  void sequenceDiagramsAreWellFormed() {
    List<String> wrong = new ArrayList<>();
    int diagrams = 0;
    for (String page : PAGES) {
      Matcher diagram = DIAGRAM.matcher(read(root().resolve(page)));
      while (diagram.find()) {
        diagrams++;
        problemsOf(diagram.group(1)).forEach(problem -> wrong.add(page + ": " + problem));
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(diagrams >= 4, "diagrams: " + diagrams);
  }

  /** Each breaks one rule of the check above, which is to see it. */
  @Test
  void aDiagramThatIsNotWellFormedIsSeen() {
    String good = "sequenceDiagram\n  participant A as a\n  A->>A: x\n";
    assertEquals(List.of(), problemsOf(good));
    for (String broken :
        List.of(
            good + "  A->>B: to a stranger\n",
            good + "  A->>A:\n",
            good + "  A-)A: another arrow\n",
            good + "  alt never ended\n",
            good + "  end\n",
            good + "  else outside\n",
            good + "  Note over B: a stranger\n",
            good + "  participant A as twice\n",
            good + "  A->>A: one; two\n",
            "graph\n  A->>A: x\n")) {
      assertEquals(1, problemsOf(broken).size(), broken);
    }
  }

  /** What is wrong with a diagram; empty if it keeps to the rules. */
  private static List<String> problemsOf(String diagram) {
    List<String> lines = diagram.lines().map(String::strip).toList();
    if (!lines.get(0).equals("sequenceDiagram")) {
      return List.of("no sequence diagram: " + lines.get(0));
    }
    List<String> problems = new ArrayList<>();
    Set<String> participants = new HashSet<>();
    int open = 0;
    for (String line : lines.subList(1, lines.size())) {
      Matcher participant = PARTICIPANT.matcher(line);
      Matcher arrow = ARROW.matcher(line);
      Matcher note = NOTE.matcher(line);
      boolean good;
      if (line.contains(";")) {
        // A semicolon ends a statement.
        good = false;
      } else if (participant.matches()) {
        good = participants.add(participant.group(1));
      } else if (arrow.matches()) {
        good = participants.contains(arrow.group(1)) && participants.contains(arrow.group(2));
      } else if (note.matches()) {
        good =
            participants.contains(note.group(1))
                && (note.group(2) == null || participants.contains(note.group(2)));
      } else if (BLOCK.matcher(line).matches()) {
        open++;
        good = true;
      } else if (line.equals("end")) {
        open--;
        good = open >= 0;
      } else {
        good = BRANCH.matcher(line).matches() && open > 0;
      }
      if (!good) {
        problems.add(line);
      }
    }
    if (open > 0) {
      problems.add(open + " blocks are not ended");
    }
    return problems;
  }

  private static Set<String> typesNamedIn(String page) {
    Set<String> types = new TreeSet<>();
    Matcher code = CODE.matcher(DIAGRAM.matcher(page).replaceAll(""));
    while (code.find()) {
      if (TYPE_NAME.matcher(code.group(1)).matches()) {
        types.add(code.group(1));
      }
    }
    Matcher diagram = DIAGRAM.matcher(page);
    while (diagram.find()) {
      Matcher word = TYPE_IN_TEXT.matcher(diagram.group(1));
      while (word.find()) {
        types.add(word.group());
      }
    }
    types.removeAll(NO_TYPES);
    return types;
  }

  /** Types that our sources declare, nested ones and messages too, and those that they import. */
  private static Set<String> typesOfTheSources() throws IOException {
    Set<String> types = new HashSet<>();
    for (Path source : sources()) {
      String text = read(source);
      for (Pattern pattern : List.of(DECLARED, IMPORTED)) {
        Matcher name = pattern.matcher(text);
        while (name.find()) {
          types.add(name.group(1));
        }
      }
    }
    return types;
  }

  private static String fileOf(String inPackage, String type) {
    return "org/weft/" + inPackage.replace('.', '/') + "/" + type + ".java";
  }

  /** Paths of our sources from their root folder on. */
  private static Set<String> filesOfTheSources() throws IOException {
    Set<String> files = new HashSet<>();
    for (Path source : sources()) {
      files.add(root().relativize(source).toString().replaceFirst("^.*/java/", ""));
    }
    return files;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(root())) {
      return files
          .filter(file -> file.toString().contains("/src/"))
          .filter(file -> file.toString().endsWith(".java") || file.toString().endsWith(".proto"))
          .collect(Collectors.toList());
    }
  }
}
