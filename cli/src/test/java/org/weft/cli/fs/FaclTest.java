package org.weft.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.MemoryFiles;
import org.weft.cli.output.ExitCode;

/** {@code weft fs getfacl} and {@code setfacl}. */
class FaclTest {
  private final MemoryFiles files = new MemoryFiles();

  @BeforeEach
  void aFile() throws IOException {
    files.directory("/d");
    files.file("/d/f", new byte[10]);
  }

  private CommandRun.Outcome run(String line) {
    try (CommandRun weft = new CommandRun(files)) {
      return weft.run(line.split(" ", -1));
    }
  }

  @Test
  void entriesAreSetAndShown() {
    assertEquals("", run("setfacl -m user:bob:r-x,mask::r-x /d/f").out());
    String shown = run("getfacl /d/f").out();
    assertTrue(shown.startsWith("# file: /d/f\n# owner: ann\n# group: staff\nuser::"), shown);
    assertTrue(shown.contains("\nuser:bob:r-x\ngroup::"), shown);
    assertEquals("", run("setfacl -b /d/f").out());
    assertEquals(-1, run("getfacl /d/f").out().indexOf("bob"));
  }

  @Test
  void exactlyOneChangeIsAskedForAndItsEntriesAreChecked() {
    for (String line :
        new String[] {
          "setfacl /d/f",
          "setfacl -b -k /d/f",
          "setfacl -m user:bob /d/f",
          "setfacl -m bob:r-x /d/f",
          "setfacl -x user:bob:r-x /d/f",
          "setfacl -m user:bob:r-x d/f"
        }) {
      CommandRun.Outcome refused = run(line);
      assertEquals(ExitCode.USAGE.number(), refused.exitCode(), line + refused.err());
    }
  }
}
