package org.weft.cli.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.WeftCommand;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.MemoryFiles;
import org.weft.cli.fs.FsCommand;
import org.weft.cli.fs.FsCommands;
import org.weft.cli.layout.LayoutCommand;
import org.weft.cli.output.Console;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.JsonFields;
import org.weft.cli.quota.QuotaCommand;
import org.weft.client.WeftPath;
import org.weft.client.XattrMode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine;

/** What the commands say about themselves is true. */
class ManualTest {
  /** Fields that only some files have. */
  private static final List<String> SOMETIMES = List.of("before", "defaultLayout");

  @TempDir private Path scratch;

  @Test
  void thePageOfCommandsIsTheCommandsThemselves() throws IOException {
    Path page = Path.of("..", "docs", "cli.md");
    assertEquals(
        CliReference.markdown(WeftCommand.commandLine()),
        Files.readString(page),
        "make it again: ./weft reference > docs/cli.md");
  }

  static Stream<CommandLine> everyCommand() {
    return below(WeftCommand.commandLine());
  }

  private static Stream<CommandLine> below(CommandLine command) {
    Set<CommandLine> once = new HashSet<>(command.getSubcommands().values());
    return Stream.concat(Stream.of(command), once.stream().flatMap(ManualTest::below))
        .filter(each -> !each.getCommandSpec().helpCommand());
  }

  @ParameterizedTest
  @MethodSource("everyCommand")
  void everyCommandHasHelpWithExamples(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName(" ");
    if (!name.equals("weft config reference")) {
      assertTrue(command.getUsageMessage().contains("Examples:"), name);
    }
  }

  @Test
  void exitCodesAreOneToOneAndCoverEveryFailure() {
    List<Integer> numbers = Arrays.stream(ExitCode.values()).map(ExitCode::number).toList();
    assertEquals(new HashSet<>(numbers).size(), numbers.size());
    for (ErrorCode code : ErrorCode.values()) {
      ExitCode exit = ExitCode.of(new WeftException(code, "x"));
      assertTrue(exit != ExitCode.OK && exit != ExitCode.USAGE, code.name());
    }
    assertEquals(ExitCode.NOT_FOUND, ExitCode.of(new NoSuchFileException("x")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ls /d",
        "find /d",
        "stat /d /d/f /d/l",
        "du -c /d",
        "df",
        "test -e /d",
        "readlink /d/l",
        "mkdir /new",
        "touch /d/t",
        "append /d/f",
        "truncate -s 1 /d/f",
        "mv /d/f /d/g",
        "rm /d/f",
        "ln -s x /d/m",
        "chmod 600 /d/f",
        "chown bob /d/f",
        "chgrp team /d/f",
        "getfacl /d/f",
        "setfacl -m user:bob:r-x /d/f",
        "xattr list /d/f",
        "xattr get /d/f user.a",
        "xattr set /d/f user.b x",
        "xattr remove /d/f user.a",
        "put LOCAL /d",
        "get /d/f OUT"
      })
  void jsonHasTheFieldsThatAreDocumentedAndNoOthers(String line) throws IOException {
    Path file = Files.write(scratch.resolve("local"), new byte[5]);
    String[] arguments =
        (line + " --json")
            .replace("LOCAL", file.toString())
            .replace("OUT", scratch.resolve("out").toString())
            .split(" ", -1);
    try (CommandRun weft = new CommandRun(files())) {
      CommandLine fs = FsCommands.mountAll(new CommandLine(new FsCommand(Console.system())));
      assertEquals(documented(fs, arguments), fieldsOf(weft.run(arguments).out()));
    }
  }

  @Test
  void jsonOfLayoutsHasTheFieldsThatAreDocumentedAndNoOthers() throws IOException {
    MemoryFiles files = files();
    try (CommandRun weft =
        new CommandRun(
            files,
            (console, connector) -> new CommandLine(new LayoutCommand(console, connector)))) {
      CommandLine layout = new CommandLine(new LayoutCommand(Console.system()));
      String[] show = {"show", "--json", "--at", "1", "/d/f"};
      assertEquals(documented(layout, show), fieldsOf(weft.run(show).out()));
      String[] set = {"set", "--json", "--unit", "16k", "/d"};
      assertEquals(documented(layout, set), fieldsOf(weft.run(set).out()));
    }
  }

  @Test
  void jsonOfQuotasHasTheFieldsThatAreDocumentedAndNoOthers() throws IOException {
    try (CommandRun weft =
        new CommandRun(
            files(),
            (console, connector) -> new CommandLine(new QuotaCommand(console, connector)))) {
      CommandLine quota = new CommandLine(new QuotaCommand(Console.system()));
      for (String line : List.of("set /d --bytes 1g --json", "show /d --json", "list --json")) {
        String[] arguments = line.split(" ", -1);
        assertEquals(documented(quota, arguments), fieldsOf(weft.run(arguments).out()), line);
      }
    }
  }

  private static MemoryFiles files() throws IOException {
    MemoryFiles files = new MemoryFiles();
    files.directory("/d");
    files.file("/d/f", new byte[10]);
    files.symbolicLink("/d/l", "f");
    files.setXattr(WeftPath.of("/d/f"), "user.a", new byte[] {65}, XattrMode.CREATE_OR_REPLACE);
    return files;
  }

  private static Set<String> fieldsOf(String out) throws IOException {
    Set<String> fields = new TreeSet<>();
    try (MappingIterator<JsonNode> values =
        new ObjectMapper().readerFor(JsonNode.class).readValues(out)) {
      // Elements of an array come one by one as well.
      while (values.hasNext()) {
        values.next().fieldNames().forEachRemaining(fields::add);
      }
    }
    SOMETIMES.forEach(fields::remove);
    return fields;
  }

  private static Set<String> documented(CommandLine above, String[] arguments) {
    CommandLine command = above;
    for (String argument : arguments) {
      command = command.getSubcommands().getOrDefault(argument, command);
    }
    JsonFields fields =
        command.getCommandSpec().userObject().getClass().getAnnotation(JsonFields.class);
    assertNotNull(fields, Arrays.toString(arguments));
    Set<String> names = new TreeSet<>();
    for (String field : fields.value()) {
      names.add(field.substring(0, field.indexOf(':')));
    }
    if (names.contains("...")) {
      return documented(above, new String[] {"ls"});
    }
    SOMETIMES.forEach(names::remove);
    return names;
  }

  @ParameterizedTest
  @EnumSource(CompletionCommand.Shell.class)
  void completionIsAScriptThatBashUnderstands(CompletionCommand.Shell shell) throws Exception {
    String script = CompletionCommand.script(shell, WeftCommand.commandLine());
    assertTrue(script.contains("_weft_with_paths"));
    assertTrue(script.contains("truncate"));
    Path file = Files.writeString(scratch.resolve("weft.sh"), script, StandardCharsets.UTF_8);
    Process bash =
        new ProcessBuilder("bash", "-n", file.toString()).redirectErrorStream(true).start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(bash.waitFor(30, TimeUnit.SECONDS));
    assertEquals(0, bash.exitValue(), said);
  }
}
