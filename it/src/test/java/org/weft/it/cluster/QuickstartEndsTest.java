package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftProcess;

/** Starts of {@code quickstart --processes} that come to nothing say so soon, and leave nothing. */
class QuickstartEndsTest {
  private static final int OSDS = 2;

  @TempDir Path scratch;

  /**
   * Starts a quickstart in which one daemon is something else.
   *
   * @param daemon by the word of its command and its name
   * @param instead a command of the shell
   */
  private WeftProcess quickstartWith(String daemon, String instead) throws IOException {
    Path launcher =
        Files.writeString(
            scratch.resolve("launcher"),
            """
            #!/bin/sh
            case "$*" in
              *'%s.log'*) %s ;;
            esac
            exec '%s' "$@"
            """
                .formatted(daemon, instead, WeftProcess.smallLauncher(scratch)));
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    return WeftProcess.launch(
        launcher,
        Map.of("WEFT_LAUNCHER", launcher.toString()),
        "quickstart",
        "--data",
        scratch.resolve("data").toString(),
        "--port-base",
        "" + FreePorts.base(OSDS),
        "--processes",
        "--no-nfs",
        "--capacity",
        "512m",
        "--osds",
        "" + OSDS);
  }

  private static long pidIn(String line) {
    return Long.parseLong(line.replaceAll(".* pid (\\d+).*", "$1"));
  }

  private static void assertEnded(long pid) {
    assertTrue(ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty(), pid + " lives on");
  }

  @Test
  void anOsdThatEndsIsNamedWithItsReason() throws Exception {
    try (WeftProcess process =
        quickstartWith("osd-1", "echo 'this disk is of paper'; sleep 1; exit 1")) {
      long sysmgr = pidIn(process.awaitLine(line -> line.contains("sysmgr-1")));
      assertNotEquals(0, process.awaitEnd(), process.output());
      assertTrue(process.output().contains("osd-1 ended while it started"), process.output());
      assertTrue(process.output().contains("this disk is of paper"), process.output());
      assertEnded(sysmgr);
    }
  }

  @Test
  void aStopIsObeyedWhileTheRootVolumeIsWaitedFor() throws Exception {
    try (WeftProcess process = quickstartWith("manager-1", "exec sleep 600")) {
      List<Long> daemons = new ArrayList<>();
      for (String name : List.of("sysmgr-1", "osd-1", "osd-2", "manager-1")) {
        daemons.add(pidIn(process.awaitLine(line -> line.contains(name))));
      }
      process.stop();
      daemons.forEach(QuickstartEndsTest::assertEnded);
    }
    try (Stream<Path> left = Files.list(scratch.resolve("data").resolve("run"))) {
      assertEquals(
          List.of(),
          left.filter(file -> file.getFileName().toString().contains("-")).toList(),
          "pid files");
    }
  }
}
