package org.weft.it.attack;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.it.process.Await;
import org.weft.it.process.DaemonCluster;

/** A data directory that was copied, put in the place of the newer original (P 5.10). */
class OldCopyIsRefusedTest {
  private static final int END_SECONDS = 30;

  private final Map<String, Long> seen = new HashMap<>();

  @TempDir Path scratch;

  @Test
  void anOldCopyOfAnOsdsDirectoryIsNotLetIn() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, 3)) {
      Path directory = scratch.resolve("data").resolve("osd-3");
      DaemonProcess osd = cluster.osd(3);
      awaitLog("joined cluster");
      osd.stop();
      run("cp", "-a", directory.toString(), directory + ".copy");
      osd.start();
      // It has been let in when its log says so.
      awaitLog("joined cluster");
      osd.stop();
      run("mv", directory.toString(), directory + ".newest");
      run("mv", directory + ".copy", directory.toString());
      ProcessHandle copy = osd.start();
      copy.onExit().get(END_SECONDS, TimeUnit.SECONDS);
      awaitLog("is an old copy");
      assertTrue(osd.process().isEmpty(), "the copy has ended");
      run("mv", directory.toString(), directory + ".copy");
      run("mv", directory + ".newest", directory.toString());
      osd.start();
      awaitLog("osd-3 listens on");
      assertTrue(Files.isDirectory(directory));
    }
  }

  private void awaitLog(String words) throws Exception {
    Path folder = scratch.resolve("data").resolve("logs");
    Await.until(
        END_SECONDS,
        () -> "'" + words + "' in the log of osd-3",
        () -> {
          long now =
              count(folder.resolve("osd-3.out"), words) + count(folder.resolve("osd-3.log"), words);
          boolean news = now > seen.getOrDefault(words, 0L);
          if (news) {
            seen.put(words, now);
          }
          return news;
        });
  }

  private static long count(Path file, String words) throws Exception {
    return Files.exists(file)
        ? Files.readAllLines(file).stream().filter(line -> line.contains(words)).count()
        : 0;
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS), command[0] + " ends");
    assertTrue(process.exitValue() == 0, command[0] + " succeeds");
  }
}
