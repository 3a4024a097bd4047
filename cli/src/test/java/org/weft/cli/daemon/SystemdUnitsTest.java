package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.weft.cli.WeftCommand;
import org.weft.cli.config.WeftConf;
import picocli.CommandLine;

/** The units of {@code packaging/systemd} fit the commands, and the page that installs them. */
class SystemdUnitsTest {
  private static final Path UNITS = Path.of("..", "packaging", "systemd");
  private static final Path PAGE = Path.of("..", "docs", "operations.md");
  private static final String LAUNCHER = "/opt/weft/weft";

  /** The instance that the page and the example file are about. */
  private static final String INSTANCE = "disk1-weft";

  private static final String DISK = "/disk1/weft";
  private static final Pattern PATH = Pattern.compile("(?<![\\w./-])/[a-z][\\w./-]*");
  private static final Pattern VARIABLE = Pattern.compile("\\$(WEFT_[A-Z_]+)");

  /** Of each unit, all values of each of its settings in order. */
  private static final Map<String, Map<String, List<String>>> SETTINGS = new TreeMap<>();

  private static String page;

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(PAGE);
    for (Path unit : files(".service")) {
      Map<String, List<String>> settings = new TreeMap<>();
      for (String line : lines(unit)) {
        String[] parts = line.split("=", 2);
        if (parts.length == 2) {
          settings.computeIfAbsent(parts[0], key -> new ArrayList<>()).add(expanded(parts[1]));
        }
      }
      SETTINGS.put(unit.getFileName().toString(), settings);
    }
    assertEquals(
        Set.of(
            "weft-sysmgr.service", "weft-manager.service", "weft-osd@.service", "weft-nfs.service"),
        SETTINGS.keySet());
  }

  private static List<Path> files(String suffix) throws IOException {
    try (Stream<Path> all = Files.list(UNITS)) {
      return all.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readAllLines(file).stream().filter(line -> !line.startsWith("#")).toList();
  }

  private static String expanded(String value) {
    return value.replace("%f", DISK).replace("%i", INSTANCE);
  }

  private static List<String> of(String unit, String key) {
    return SETTINGS.get(unit).getOrDefault(key, List.of());
  }

  /** What a unit starts, without the launcher. A variable has the example's value, or none. */
  private static String[] command(String unit) throws IOException {
    List<String> starts = of(unit, "ExecStart");
    assertEquals(1, starts.size(), unit);
    String line = starts.get(0);
    Map<String, String> example = examples();
    Matcher variable = VARIABLE.matcher(line);
    while (variable.find()) {
      line = line.replace(variable.group(), example.getOrDefault(variable.group(1), ""));
    }
    assertFalse(line.contains("%") || line.contains("$"), line);
    String[] words = line.trim().split(" +");
    assertEquals(LAUNCHER, words[0], unit);
    return Arrays.copyOfRange(words, 1, words.length);
  }

  private static Map<String, String> examples() throws IOException {
    Map<String, String> examples = new TreeMap<>();
    for (Path file : files(".env")) {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.replaceFirst("^#(?=[A-Z_]+=)", "").split("=", 2);
        if (parts.length == 2 && parts[0].matches("[A-Z_]+")) {
          examples.put(parts[0], parts[1]);
        }
      }
    }
    return examples;
  }

  @Test
  void eachStartsADaemonWithOptionsThatItHas() throws IOException {
    for (String unit : SETTINGS.keySet()) {
      String[] words = command(unit);
      CommandLine.ParseResult parsed = WeftCommand.commandLine().parseArgs(words);
      CommandLine.ParseResult daemon = parsed.subcommand();
      assertEquals(unit.replaceAll("weft-|@|\\.service", ""), daemon.commandSpec().name(), unit);
      assertFalse(daemon.hasSubcommand(), unit);
      assertEquals(
          Path.of("/etc/weft/weft.conf"), daemon.matchedOptionValue("--config", null), unit);
    }
  }

  @Test
  void eachUnitMayWriteItsDirectories() throws IOException {
    for (String unit : SETTINGS.keySet()) {
      assertEquals(List.of("strict"), of(unit, "ProtectSystem"), unit);
      List<Path> writable = new ArrayList<>();
      of(unit, "ReadWritePaths").forEach(each -> writable.add(Path.of(each)));
      of(unit, "StateDirectory").forEach(each -> writable.add(Path.of("/var/lib", each)));
      of(unit, "LogsDirectory").forEach(each -> writable.add(Path.of("/var/log", each)));
      CommandLine.ParseResult daemon =
          WeftCommand.commandLine().parseArgs(command(unit)).subcommand();
      for (String option : List.of("--data", "--log-file")) {
        Path written = daemon.matchedOptionValue(option, null);
        boolean isAllowed =
            written == null
                ? option.equals("--data")
                : writable.stream().anyMatch(written::startsWith);
        assertTrue(isAllowed, unit + " " + option + " " + written);
      }
    }
  }

  @Test
  void everyPathAndFileAndVariableIsOnThePage() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Path file : files("")) {
      named.add(file.getFileName().toString());
    }
    SETTINGS.forEach(
        (unit, settings) -> {
          for (List<String> values : settings.values()) {
            values.forEach(
                value -> PATH.matcher(value).results().forEach(m -> named.add(m.group())));
            values.forEach(
                value -> VARIABLE.matcher(value).results().forEach(m -> named.add(m.group(1))));
          }
          of(unit, "StateDirectory").forEach(each -> named.add("/var/lib/" + each));
        });
    List<String> unnamed = named.stream().filter(each -> !page.contains(each)).toList();
    assertEquals(List.of(), unnamed, "docs/operations.md does not name them");
    assertTrue(
        named.containsAll(List.of(LAUNCHER, DISK, "/var/lib/weft/manager")), named::toString);
  }

  @Test
  void exampleFilesSetNothingThatIsNotRead() throws IOException {
    String launcher = Files.readString(Path.of("..", "weft"));
    Set<String> read = new TreeSet<>();
    Matcher variable = Pattern.compile("\\$\\{?([A-Z_]+)").matcher(launcher);
    while (variable.find()) {
      read.add(variable.group(1));
    }
    SETTINGS
        .values()
        .forEach(
            each ->
                VARIABLE
                    .matcher(each.get("ExecStart").get(0))
                    .results()
                    .forEach(m -> read.add(m.group(1))));
    assertTrue(read.containsAll(examples().keySet()), () -> "read " + read);
    assertTrue(read.contains("WEFT_JAVA_OPTS"));
  }

  @Test
  void unitsStopAndStartWithTheTarget() throws IOException {
    for (String unit : SETTINGS.keySet()) {
      assertEquals(List.of("weft.target"), of(unit, "PartOf"), unit);
      assertEquals(List.of("weft.target"), of(unit, "WantedBy"), unit);
    }
    assertTrue(lines(UNITS.resolve("weft.target")).contains("WantedBy=multi-user.target"));
  }

  /** A daemon that stops in order is not killed meanwhile; a JVM compiles into its own memory. */
  @Test
  void eachHasTheTimeAndTheMemoryThatAJvmNeeds() {
    for (String unit : SETTINGS.keySet()) {
      int seconds = Integer.parseInt(of(unit, "TimeoutStopSec").get(0));
      assertTrue(seconds > StopSignal.MAX_STOP_SECONDS, unit + " has " + seconds + " s");
      assertEquals(List.of(), of(unit, "MemoryDenyWriteExecute"), unit);
      int files = Integer.parseInt(of(unit, "LimitNOFILE").get(0));
      assertTrue(files >= StartFailure.DAEMON_DESCRIPTORS, unit);
    }
  }

  /** What the page has a host write into its configuration is what daemons take. */
  @Test
  void hostConfigurationOfThePageIsAccepted() {
    String section = page.substring(page.indexOf("## Run the daemons under systemd"));
    section = section.substring(0, section.indexOf("\n## "));
    WeftConf conf = WeftConf.defaults();
    List<String> lines =
        section
            .lines()
            .map(String::trim)
            .filter(line -> line.matches("[a-z]+[a-z.-]*=.*"))
            .toList();
    assertTrue(lines.size() > 6, lines::toString);
    for (String line : lines) {
      conf = conf.withAssignment(line);
    }
    assertTrue(lines.stream().anyMatch(line -> line.startsWith("cluster.superuser=")));
  }
}
