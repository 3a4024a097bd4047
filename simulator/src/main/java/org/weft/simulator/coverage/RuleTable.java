package org.weft.simulator.coverage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Where rules are kept, as {@code rules.txt} and the sources of this working copy say. */
public final class RuleTable {
  private static final String TABLE = "/org/weft/simulator/rules.txt";
  private static final String SOURCES = "src/main/java";
  private static final int COLUMNS = 5;

  /** Members of a class are indented by two; methods of classes within one by four. */
  private static final Pattern DECLARATION = Pattern.compile("^ {2}[a-zA-Z].*\\(");

  private static final Pattern RULE = Pattern.compile("^\\*\\*([4-6]\\.[0-9]+) ");

  private RuleTable() {}

  /**
   * All rows.
   *
   * @param home of the working copy
   * @throws IllegalArgumentException if a row names a line that is not there, or there twice
   */
  public static List<RuleRow> read(Path home) throws IOException {
    List<RuleRow> rows = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(RuleTable.class.getResourceAsStream(TABLE)),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#") && !line.isBlank()) {
          rows.add(row(home, line));
        }
      }
    }
    return rows;
  }

  private static RuleRow row(Path home, String line) throws IOException {
    String[] columns = line.split(" \\| ", COLUMNS);
    if (columns.length != COLUMNS) {
      throw new IllegalArgumentException("a row has " + COLUMNS + " columns: " + line);
    }
    Path sources = home.resolve(columns[1]).resolve(SOURCES);
    Path source = source(sources, columns[2]);
    List<String> code = Files.readAllLines(source);
    List<Integer> found = new ArrayList<>();
    for (int index = 0; index < code.size(); index++) {
      if (code.get(index).contains(columns[3])) {
        found.add(index + 1);
      }
    }
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          source + " has '" + columns[3] + "' in lines " + found + ", not in one");
    }
    String file = sources.relativize(source).toString().replace('/', '.');
    String className = file.substring(0, file.length() - ".java".length());
    boolean declares = DECLARATION.matcher(code.get(found.get(0) - 1)).find();
    return new RuleRow(columns[0], className, found.get(0), declares, columns[4]);
  }

  /** A class's file; where several have the name, "Name@end/of/its/folder" says which. */
  private static Path source(Path sources, String name) throws IOException {
    int at = name.indexOf('@');
    String file = (at < 0 ? name : name.substring(0, at)) + ".java";
    String folder = at < 0 ? "" : name.substring(at + 1);
    try (Stream<Path> all = Files.walk(sources)) {
      List<Path> found =
          all.filter(path -> path.endsWith(file) && path.getParent().toString().endsWith(folder))
              .toList();
      if (found.size() != 1) {
        throw new IllegalArgumentException(name + " is " + found + " in " + sources);
      }
      return found.get(0);
    }
  }

  /** The rules of docs/protocols.md whose behaviour is built. */
  public static SortedSet<String> rules(Path home) throws IOException {
    SortedSet<String> rules = new TreeSet<>();
    for (String line : Files.readAllLines(home.resolve("docs/protocols.md"))) {
      Matcher rule = RULE.matcher(line);
      if (rule.find() && !line.contains("*later*")) {
        rules.add(rule.group(1));
      }
    }
    return rules;
  }
}
