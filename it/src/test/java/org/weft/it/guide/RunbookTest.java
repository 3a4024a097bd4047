package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.it.guide.PagesTest.root;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;

/** The runbook has a row for each alert of the status and for each code of an error. */
class RunbookTest {
  private static final Path STATUS = Path.of("sysmgr/src/main/java/org/weft/sysmgr/status");

  /** A finding: its name is the first text of the call. */
  private static final Pattern FINDING =
      Pattern.compile(
          "(?:new Finding|\\berror|\\bwarning)\\(\\s*(?:[A-Za-z.? :]+,\\s*)?\"([a-z]+(?:-[a-z]+)+)\"");

  /** The first cell of a row, and the second. */
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]+`) \\| ([^|]+) \\|");

  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
  private static final int MIN_ALERTS = 50;

  @Test
  void eachAlertHasOneRow() throws IOException {
    String sources;
    try (Stream<Path> files = Files.walk(root().resolve(STATUS))) {
      sources =
          files.filter(Files::isRegularFile).map(PagesTest::read).collect(Collectors.joining());
    }
    Set<String> alerts = new TreeSet<>();
    Matcher finding = FINDING.matcher(sources);
    while (finding.find()) {
      alerts.add(finding.group(1));
    }
    assertTrue(alerts.size() >= MIN_ALERTS, () -> "the sources were read wrongly: " + alerts);
    Predicate<String> isLevel = cell -> Set.of("error", "warning").contains(cell);
    List<String> rows = firstCells("docs/operations.md", isLevel);
    assertEquals(new ArrayList<>(alerts), rows.stream().sorted().toList());
  }

  @Test
  void eachCodeOfAnErrorHasOneRow() throws IOException {
    List<String> codes = Arrays.stream(ErrorCode.values()).map(Enum::name).sorted().toList();
    List<String> rows =
        firstCells("docs/troubleshooting.md", cell -> true).stream()
            .filter(name -> name.matches("[A-Z_]+"))
            .sorted()
            .toList();
    assertEquals(codes, rows);
  }

  private static List<String> firstCells(String page, Predicate<String> second) throws IOException {
    List<String> names = new ArrayList<>();
    Matcher row = ROW.matcher(Files.readString(root().resolve(page)));
    while (row.find()) {
      if (second.test(row.group(2).strip())) {
        QUOTED.matcher(row.group(1)).results().forEach(name -> names.add(name.group(1)));
      }
    }
    return names;
  }
}
