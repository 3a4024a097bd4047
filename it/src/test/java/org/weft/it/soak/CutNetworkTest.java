package org.weft.it.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.Soak;
import org.weft.soak.process.WeftProcess;

/** A soak whose network is cut once in each way. Needs network namespaces, else it is skipped. */
@Tag("long")
class CutNetworkTest {
  private static final long MAX_MINUTES = 30;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path scratch;

  @Test
  void acknowledgedBytesSurviveNetworkCuts() throws Exception {
    List<String> inside = insideOwnNetwork();
    assumeTrue(
        canRun(inside), "this machine gives no network namespaces: " + String.join(" ", inside));
    try (WeftProcess soak =
        WeftProcess.startMain(
            inside,
            Soak.class,
            "--minutes=0",
            "--cuts",
            "--only=CUT_OSD,CUT_MANAGER,CUT_IN_TWO,CUT_ONE_WAY,CUT_PAIRS",
            "--sysmgrs=3",
            "--managers=2",
            "--clients=2",
            "--seed=" + Long.getLong("weft.soak.seed", 95_840_001L),
            "--keep=" + scratch.resolve("soak"))) {
      soak.handle().onExit().get(MAX_MINUTES, TimeUnit.MINUTES);
      System.out.println(soak.output());
      assertEquals(0, soak.awaitEnd(), soak::output);
      assertTrue(soak.output().contains("5 cuts of the network"), soak::output);
    }
  }

  private static List<String> insideOwnNetwork() {
    List<String> command = new ArrayList<>(List.of("unshare", "--net", "--mount"));
    if (!System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    return command;
  }

  private static boolean canRun(List<String> inside) throws InterruptedException {
    List<String> command = new ArrayList<>(inside);
    command.addAll(List.of("ip", "link", "show"));
    try {
      return new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      // There is no such program.
      return false;
    }
  }
}
