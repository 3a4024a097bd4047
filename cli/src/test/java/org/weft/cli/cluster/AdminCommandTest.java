package org.weft.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.WeftCommand;
import org.weft.cli.output.ExitCode;

/** With {@code --json} a failure is JSON, whichever command it is that asks SysMgr. */
class AdminCommandTest {
  /** A port on which nothing listens. */
  private static final String NO_CLUSTER = "127.0.0.1:1";

  @ParameterizedTest
  @ValueSource(strings = {"osd drain osd-3", "sysmgr member list", "volume list"})
  void aFailureIsJsonAsDocumented(String command) throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        WeftCommand.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute((command + " --json --cluster " + NO_CLUSTER).split(" ", -1));
    assertEquals(ExitCode.UNAVAILABLE.number(), code, err.toString());
    assertEquals("", out.toString());
    JsonNode failure = new ObjectMapper().readTree(err.toString());
    assertEquals(command.replaceFirst(" osd-3$", ""), failure.get("command").asText());
    assertEquals("unavailable", failure.get("error").asText());
    assertEquals(code, failure.get("exitCode").asInt());
  }
}
