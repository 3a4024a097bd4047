package org.weft.bench.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each run in {@code docs/results} is whole, says how it was made, and is named by a page. */
class PublishedResultsTest {
  private static final Path RESULTS = Path.of("../docs/results");

  /** An absolute path, which would say something of the machine. */
  private static final Pattern PATH = Pattern.compile("(^|[\\s='\":])/\\w");

  /** What is wrong with a run; empty if it may be published. */
  private static List<String> problems(JsonNode run) {
    List<String> problems = new ArrayList<>();
    if (!run.path("command").asText().matches("bench/\\w.*")) {
      problems.add("names no command");
    }
    if (!run.path("commit").asText().matches("[0-9a-f]{8,40}")) {
      problems.add("is of no commit: " + run.path("commit"));
    }
    for (String date : List.of("begun", "ended")) {
      if (!run.path(date).asText().matches("\\d{4}-\\d\\d-\\d\\d.*")) {
        problems.add("has no date in '" + date + "': it is not whole");
      }
    }
    if (run.path("conditions").asText().isBlank()) {
      problems.add("does not say what else ran: WEFT_BENCH_CONDITIONS");
    }
    if (run.path("machine").path("cores").asInt() < 1
        || run.path("machine").path("jdk").asText().isBlank()) {
      problems.add("lacks cores and JDK of its machine");
    }
    if (!run.path("failures").isArray() || !run.path("failures").isEmpty()) {
      problems.add("has failures: it is not whole");
    }
    if (run.path("cases").isEmpty()) {
      problems.add("has no case");
    }
    if (PATH.matcher(run.path("command").asText() + ' ' + run.path("conditions").asText()).find()) {
      problems.add("names a path of its machine");
    }
    for (JsonNode row : run.path("cases")) {
      if (PATH.matcher(row.path("case").asText()).find()) {
        problems.add("names a path of its machine: " + row);
      }
      if (!isFigure(row)) {
        problems.add("has a row that is no figure: " + row);
      }
    }
    return problems;
  }

  private static boolean isFigure(JsonNode row) {
    boolean isNamed =
        Stream.of("case", "system", "figure", "unit")
            .noneMatch(n -> row.path(n).asText().isEmpty());
    boolean hasRange = row.has("min") == row.has("max");
    double median = row.path("median").asDouble(Double.NaN);
    return isNamed
        && hasRange
        && row.path("values").asInt() > 0
        && row.path("min").asDouble(median) <= median
        && median <= row.path("max").asDouble(median);
  }

  private static List<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.list(RESULTS)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  @Test
  void eachRunIsWholeAndSaysHowItWasMade() throws IOException {
    Set<String> problems = new TreeSet<>();
    List<Path> runs = files(".json");
    for (Path file : runs) {
      problems(new ObjectMapper().readTree(file.toFile()))
          .forEach(problem -> problems.add(file.getFileName() + " " + problem));
    }
    assertTrue(runs.size() >= 2, runs.toString());
    assertEquals(Set.of(), problems);
  }

  @Test
  void eachRunIsLinkedByAPage() throws IOException {
    StringBuilder pages = new StringBuilder();
    for (Path page : files(".md")) {
      pages.append(Files.readString(page));
    }
    for (Path file : files(".json")) {
      assertTrue(pages.indexOf("(" + file.getFileName() + ")") >= 0, file + " is in no page");
    }
  }

  @Test
  void aRunThatIsNotWholeIsRefused() throws IOException {
    JsonNode run =
        new ObjectMapper()
            .readTree(
                """
                {"command":"bench/compare --plan /home/me/plan","commit":"12345678-changed","begun":"2026-01-01",
                 "ended":null,"conditions":"","machine":{"cores":2,"jdk":"17"},"failures":["weft failed"],
                 "cases":[{"case":"a","system":"b","figure":"rate","unit":"s","values":1,"min":2,"median":1,"max":3}]}\
                """);
    assertEquals(6, problems(run).size(), problems(run).toString());
  }
}
