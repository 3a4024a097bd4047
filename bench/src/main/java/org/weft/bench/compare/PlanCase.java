package org.weft.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.bench.driven.LoadLine;

/**
 * A case, one line of a plan: {@code LOAD OPTIONS : SYSTEM SYSTEM ... [; COMMAND]}. The others are
 * compared with the first system. The shell runs the command when all systems have made their
 * files, before anything is measured.
 *
 * @param number of the line among the cases of its plan
 */
record PlanCase(int number, List<String> options, List<String> systems, String afterOpening) {
  PlanCase {
    options = List.copyOf(options);
    systems = List.copyOf(systems);
  }

  /** Every line that is neither empty nor a comment. */
  static List<PlanCase> read(Path file) throws IOException {
    List<PlanCase> cases = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        cases.add(parse(cases.size(), line));
      }
    }
    return cases;
  }

  static PlanCase parse(int number, String line) {
    int colon = line.indexOf(" : ");
    if (colon < 0) {
      throw new IllegalArgumentException(
          "a case is LOAD OPTIONS : SYSTEMS [; COMMAND], got '" + line + "'");
    }
    String[] behind = line.substring(colon + 3).split(";", 2);
    PlanCase parsed =
        new PlanCase(
            number,
            words(line.substring(0, colon)),
            words(behind[0]),
            behind.length == 1 ? "" : behind[1].trim());
    // What is wrong with a load should show before the first one is run.
    var unused = LoadLine.parse(parsed.options).workload();
    return parsed;
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.trim().split("\\s+", -1)).filter(word -> !word.isEmpty()).toList();
  }

  /** The load with its options, as the plan has it, and what is done before it is measured. */
  String name() {
    return String.join(" ", options) + (afterOpening.isEmpty() ? "" : " after " + afterOpening);
  }
}
