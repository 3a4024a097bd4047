package org.weft.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.cli.output.Console;
import org.weft.cli.output.ExitCode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine;

/** Only what a command line names is mounted. */
class WeftCommandsTest {
  private static List<String> mounted(String... arguments) {
    CommandLine weft =
        WeftCommands.mountFor(new CommandLine(new WeftCommand()), Console.system(), arguments);
    List<String> names = new ArrayList<>(weft.getSubcommands().keySet());
    CommandLine fs = weft.getSubcommands().get("fs");
    if (fs != null && names.size() == 1) {
      names.addAll(fs.getSubcommands().keySet());
    }
    return names;
  }

  @ParameterizedTest
  @CsvSource({"fs ls /tmp, fs ls", "status --json, status", "osd check x, osd"})
  void aCommandLineGetsWhatItNames(String line, String names) {
    assertEquals(names, String.join(" ", mounted(line.split(" ", -1))));
  }

  @Test
  void failureOfAReplyIsOneLineWithItsExitCode() throws Exception {
    StringWriter said = new StringWriter();
    CommandLine weft = WeftCommand.commandLine().setErr(new PrintWriter(said, true));
    int code =
        weft.getExecutionExceptionHandler()
            .handleExecutionException(
                new CompletionException(
                    new WeftException(ErrorCode.UNAVAILABLE, "no SysMgr replies")),
                weft,
                null);
    assertEquals(ExitCode.UNAVAILABLE.number(), code);
    assertEquals("weft: no SysMgr replies", said.toString().strip());
  }

  @Test
  void anythingElseGetsEverything() {
    assertEquals(mounted("--help"), mounted("nonsense"));
    assertTrue(mounted().size() > 10);
    assertTrue(mounted("fs").size() > 20);
    assertEquals(mounted("fs"), mounted("fs", "nonsense"));
  }

  @Test
  void everyNameIsTheNameOfItsCommand() {
    CommandLine weft = WeftCommand.commandLine();
    weft.getSubcommands().forEach((name, command) -> assertEquals(name, command.getCommandName()));
    weft.getSubcommands()
        .get("fs")
        .getSubcommands()
        .forEach((name, command) -> assertEquals(name, command.getCommandName()));
  }
}
