package org.weft.cli.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.testkit.process.Await;

class DaemonProcessTest {
  @TempDir Path folder;

  @Test
  void aDaemonThatAShellStartedByItsLineIsTheDaemon() throws Exception {
    Path run = Files.createDirectories(folder.resolve("it's here/run"));
    Path log = run.resolveSibling("x-1.log");
    DaemonProcess daemon =
        DaemonProcess.of(
            "x-1",
            run,
            List.of("/bin/sh", "-c", "echo \"$0\"; exec tail -f /dev/null", "a b"),
            log);
    assertEquals(Optional.empty(), daemon.process());
    Process shell = new ProcessBuilder("/bin/sh", "-c", daemon.shellLine()).start();
    assertTrue(shell.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, shell.exitValue());
    ProcessHandle started = daemon.process().orElseThrow();
    Await.until(60, () -> "its output is kept", () -> !daemon.lastOutput().isEmpty());
    assertEquals("a b", daemon.lastOutput());
    daemon.stop();
    started.onExit().get(60, TimeUnit.SECONDS);
  }

  @Test
  void aPidFileThatIsBeingWrittenNamesNoProcess() throws Exception {
    Files.writeString(folder.resolve("x-1.pid"), "");
    assertEquals(Optional.empty(), PidFile.of(folder, "x-1").process());
  }
}
