package org.weft.cli.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.cli.output.ExitCode;
import org.weft.client.LockHolder;
import org.weft.client.LockList;
import org.weft.client.LockMode;
import org.weft.protocol.layout.ByteRange;
import picocli.CommandLine;

/** The list of locks and their owners. */
class LockListTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft =
      new CommandRun(
          files, (console, connector) -> new CommandLine(new LockCommand(console, connector)));

  LockListTest() {
    files.file("/f", new byte[100]);
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private String run(String... arguments) {
    Outcome outcome = weft.run(arguments);
    assertEquals(0, outcome.exitCode(), outcome.err());
    return outcome.out();
  }

  private void lock() {
    byte[] owner = {1, (byte) 0xfe};
    files.locked(
        new LockList(
            List.of(
                new LockHolder(
                    "host/1/\u001b[2Japp", 7, owner, new ByteRange(0, 10), LockMode.SHARED, false),
                new LockHolder(
                    "gateway",
                    8,
                    owner,
                    new ByteRange(10, ByteRange.END),
                    LockMode.EXCLUSIVE,
                    true)),
            1_200));
  }

  @Test
  void everyLockIsALine() {
    assertEquals("/f: no locks\n", run("list", "/f"));
    lock();
    List<String> lines = run("list", "/f").lines().toList();
    assertEquals("/f: 1200 locks", lines.get(0));
    assertTrue(lines.get(1).startsWith("  shared     0 to 10, by host/1/"), lines.get(1));
    assertTrue(lines.get(1).indexOf('\u001b') < 0, "nothing that a terminal obeys");
    assertEquals(
        "  exclusive  10 to the end, by gateway, session 8, owner 01fe, kept for a successor",
        lines.get(2));
    assertEquals("  and 1198 more", lines.get(3));
  }

  @Test
  void programsGetAll() throws IOException {
    lock();
    JsonNode node = new ObjectMapper().readTree(run("list", "--json", "/f"));
    assertEquals(1_200, node.get("total").asInt());
    assertTrue(node.get("locks").get(1).get("to").isNull());
    assertEquals(10, node.get("locks").get(0).get("to").asInt());
    assertEquals("01fe", node.get("locks").get(0).get("owner").asText());
  }

  @Test
  void aFileThatIsNotThereIsAFailure() {
    assertEquals(ExitCode.NOT_FOUND.number(), weft.run("list", "/g").exitCode());
  }
}
