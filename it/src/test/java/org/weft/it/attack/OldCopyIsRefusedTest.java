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
import org.weft.client.WeftClient;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftPath;
import org.weft.it.process.Await;
import org.weft.it.process.DaemonCluster;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

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
      awaitLog("osd-3", "joined cluster");
      osd.stop();
      run("cp", "-a", directory.toString(), directory + ".copy");
      osd.start();
      // It has been let in when its log says so.
      awaitLog("osd-3", "joined cluster");
      osd.stop();
      run("mv", directory.toString(), directory + ".newest");
      run("mv", directory + ".copy", directory.toString());
      ProcessHandle copy = osd.start();
      copy.onExit().get(END_SECONDS, TimeUnit.SECONDS);
      awaitLog("osd-3", "is an old copy");
      assertTrue(osd.process().isEmpty(), "the copy has ended");
      run("mv", directory.toString(), directory + ".copy");
      run("mv", directory + ".newest", directory.toString());
      osd.start();
      awaitLog("osd-3", "osd-3 listens on");
      assertTrue(Files.isDirectory(directory));
    }
  }

  @Test
  void copyOfAManagersDirectoryFromWithinItsLastStartIsNotLetIn() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, 3)) {
      Path directory = scratch.resolve("data").resolve("manager-1");
      DaemonProcess manager = cluster.manager();
      try (SystemEnvironment system = SystemEnvironment.create();
          OwnedExecutor callbacks =
              system.environment().scheduler().newSerialExecutor("callbacks");
          WeftClient client = DaemonCluster.connect(cluster.port(), "writer", system, callbacks)) {
        WeftFileSystem files = client.fileSystem();
        awaitProgress(directory, 0);
        run("cp", "-a", directory.toString(), directory + ".copy");
        long copied = progress(directory);
        files.mkdirs(WeftPath.of("/acknowledged"), 0755).get(END_SECONDS, TimeUnit.SECONDS);
        awaitProgress(directory, copied);
        // What is stored now is told before the next number is stored.
        files.mkdirs(WeftPath.of("/later"), 0755).get(END_SECONDS, TimeUnit.SECONDS);
        awaitProgress(directory, copied + 1);
      }
      DaemonCluster.kill(manager);
      run("mv", directory.toString(), directory + ".newest");
      run("mv", directory + ".copy", directory.toString());
      ProcessHandle copy = manager.start();
      copy.onExit().get(END_SECONDS, TimeUnit.SECONDS);
      awaitLog("manager-1", "is an old copy");
      run("mv", directory.toString(), directory + ".copy");
      run("mv", directory + ".newest", directory.toString());
      manager.start();
      awaitLog("manager-1", "manager listens on");
    }
  }

  private static void awaitProgress(Path directory, long above) throws Exception {
    Await.until(
        END_SECONDS,
        () -> "the progress of the journals is not above " + above,
        () -> progress(directory) > above);
  }

  private static long progress(Path directory) throws Exception {
    Path file = directory.resolve("progress");
    return Files.exists(file)
        ? Long.parseLong(Files.readString(file).trim().replace("count=", ""))
        : 0;
  }

  private void awaitLog(String daemon, String words) throws Exception {
    Path folder = scratch.resolve("data").resolve("logs");
    Await.until(
        END_SECONDS,
        () -> "'" + words + "' in the log of " + daemon,
        () -> {
          long now =
              count(folder.resolve(daemon + ".out"), words)
                  + count(folder.resolve(daemon + ".log"), words);
          boolean news = now > seen.getOrDefault(daemon + words, 0L);
          if (news) {
            seen.put(daemon + words, now);
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
