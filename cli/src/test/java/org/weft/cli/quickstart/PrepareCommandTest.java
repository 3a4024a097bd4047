package org.weft.cli.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.cli.WeftCommand;

class PrepareCommandTest {
  private static Set<Path> leftBehind() throws IOException {
    try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return all.filter(each -> each.getFileName().toString().startsWith("weft-prepare"))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void aClusterIsStartedUsedAndRemoved() throws IOException {
    Set<Path> before = leftBehind();
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int code = WeftCommand.commandLine().setOut(writer).setErr(writer).execute("prepare");
    assertEquals("Prepared." + System.lineSeparator(), said.toString());
    assertEquals(0, code);
    assertEquals(before, leftBehind());
  }
}
