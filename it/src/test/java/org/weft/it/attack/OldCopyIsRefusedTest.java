package org.weft.it.attack;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.client.WeftClient;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/** A data directory that was copied, put in the place of the newer original (P 5.10). */
@Tag("long")
class OldCopyIsRefusedTest {
  private static final int END_SECONDS = 30;

  /** Above the base of a run of free ports; the one for metrics is free, too. */
  private static final int FIRST_OSD = 100;

  private final Map<String, Long> seen = new HashMap<>();

  @TempDir Path scratch;

  @Test
  void oldCopyOfAnOsdsDirectoryIsRefused() throws Exception {
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
  void managerCopyFromWithinItsLastStartIsRefused() throws Exception {
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

  /** The copy is made while the original stands still, which is too short for it to be missed. */
  private static Path copyBeside(DaemonProcess original, Path directory) throws Exception {
    Path copy = Path.of(directory + ".copy");
    ProcessHandle process = original.process().orElseThrow();
    Signals.freeze(process);
    try {
      run("cp", "-a", directory.toString(), copy.toString());
    } finally {
      Signals.thaw(process);
    }
    return copy;
  }

  private WeftProcess startCopy(String daemon, Path copy) throws Exception {
    return WeftProcess.start(
        scratch,
        daemon,
        "--config",
        scratch.resolve("data").resolve("weft.conf").toString(),
        "--data",
        copy.toString(),
        "--listen",
        "127.0.0.1:" + (FreePorts.base(1) + FIRST_OSD),
        "--set",
        "host=elsewhere");
  }

  @Test
  void osdCopyBesideTheOriginalIsRefusedAtEveryStart() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, 3)) {
      awaitLog("osd-3", "joined cluster");
      ProcessHandle original = cluster.osd(3).process().orElseThrow();
      Path copy = copyBeside(cluster.osd(3), scratch.resolve("data").resolve("osd-3"));
      for (int starts = 0; starts < 3; starts++) {
        try (WeftProcess second = startCopy("osd", copy)) {
          String said = second.awaitLine(OldCopyIsRefusedTest::isAnswer);
          assertTrue(said.contains("seems to run elsewhere"), said);
          second.kill();
        }
      }
      assertTrue(original.isAlive(), "the original goes on");
    }
  }

  @Test
  void managerCopyBesideTheOriginalIsRefusedAtEveryStart() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, 3)) {
      awaitLog("manager-1", "manager listens on");
      ProcessHandle original = cluster.manager().process().orElseThrow();
      Path copy = copyBeside(cluster.manager(), scratch.resolve("data").resolve("manager-1"));
      try (WeftProcess second = startCopy("manager", copy)) {
        Await.until(END_SECONDS, () -> "the copy has noted its start", () -> starts(copy) == 2);
        second.kill();
      }
      try (WeftProcess third = startCopy("manager", copy)) {
        assertTrue(third.awaitEnd() != 0, third::output);
        assertTrue(third.output().contains("seems to run elsewhere"), third::output);
      }
      assertTrue(original.isAlive(), "the original goes on");
    }
  }

  /** What tells whether an OSD was let in. */
  private static boolean isAnswer(String line) {
    return line.contains("joined cluster") || line.contains("not in the cluster yet");
  }

  private static int starts(Path manager) throws Exception {
    return Files.readAllLines(manager.resolve("manager.properties")).stream()
        .filter(line -> line.startsWith("starts="))
        .mapToInt(line -> line.split(",").length)
        .sum();
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
