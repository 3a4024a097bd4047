package org.weft.cli.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.WeftCommand;
import picocli.CommandLine;

/** What a new user is told to type works on a host as it is. */
class FirstStepsTest {
  private static final Pattern MOUNT = Pattern.compile("mount -t nfs -o (\\S+) \\S+:/");
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path data;

  /**
   * Without a transport {@code mount.nfs} looks for one at port 111 of the server for more than a
   * minute, also where the ports are given. With one the kernel takes it for MOUNT, too.
   */
  private static void assertNeedsNoPortmapper(String where, String text) {
    List<String> lines = MOUNT.matcher(text).results().map(found -> found.group(1)).toList();
    assertFalse(lines.isEmpty(), where + " has no line that mounts");
    for (String line : lines) {
      List<String> options = List.of(line.split(","));
      assertTrue(options.containsAll(List.of("vers=3", "proto=tcp")), where + ": " + line);
    }
  }

  @Test
  void theQuickstartPrintsALineThatMountsWithoutAPortmapper() throws IOException {
    StringWriter said = new StringWriter();
    QuickstartPlan plan =
        new QuickstartPlan(data, 23_500, 3, OptionalLong.empty(), "copies-2", 1, 1, 1, false);
    FirstSteps.print(plan, new PrintWriter(said));
    assertNeedsNoPortmapper("quickstart", said.toString());
    assertEquals(
        "vers=3,proto=tcp,port=23550,mountport=23550,nolock",
        MOUNT
            .matcher(said.toString())
            .results()
            .map((MatchResult found) -> found.group(1))
            .findFirst()
            .orElseThrow());
  }

  @Test
  void helpAndPagesPrintLinesThatMountWithoutAPortmapper() throws IOException {
    CommandLine nfs = WeftCommand.commandLine().getSubcommands().get("nfs");
    String examples = String.join("\n", nfs.getCommandSpec().usageMessage().footer());
    assertNeedsNoPortmapper("weft nfs --help", examples);
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    int with = 0;
    for (Path page : pages) {
      String text = Files.readString(page);
      if (text.contains("mount -t nfs -o")) {
        assertNeedsNoPortmapper(ROOT.relativize(page).toString(), text);
        with++;
      }
    }
    assertEquals(3, with, "README.md, docs/cli.md, docs/nfs.md");
  }
}
