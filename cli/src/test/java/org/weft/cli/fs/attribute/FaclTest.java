package org.weft.cli.fs.attribute;

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
  void aTreeIsChangedDefaultEntriesOfItsDirectoriesAlone() throws IOException {
    files.directory("/d/e");
    files.file("/d/e/g", new byte[1]);
    files.symbolicLink("/d/link", "/d/f");
    String entries = "user:bob:r-x,default:user:bob:r-x";
    CommandRun.Outcome outcome = run("setfacl --json -R -m " + entries + " /d");
    assertEquals("{\"changed\":4,\"errors\":0,\"failed\":false}\n", outcome.out());
    for (String directory : new String[] {"/d", "/d/e"}) {
      assertTrue(run("getfacl " + directory).out().contains("default:user:bob:r-x"), directory);
    }
    for (String file : new String[] {"/d/f", "/d/e/g"}) {
      String shown = run("getfacl " + file).out();
      assertTrue(shown.contains("user:bob:r-x") && !shown.contains("default:"), shown);
    }
    assertTrue(run("setfacl --json -R -k /d").out().startsWith("{\"changed\":2,"));
  }

  @Test
  void aListingMarksWhatHasAList() throws IOException {
    files.file("/d/plain", new byte[10]);
    run("setfacl -m user:bob:r-x /d/f");
    String shown = run("ls /d").out();
    String[] lines = shown.split("\n");
    assertTrue(lines[0].matches("-[rwx-]{9}\\+ .*/d/f"), shown);
    assertTrue(lines[1].matches("-[rwx-]{9}  .*/d/plain"), shown);
    assertTrue(run("ls --json /d").out().contains("\"acl\":true"));
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
