package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/** A volume's life on a quickstart, as an operator goes through it. */
@Tag("long")
class VolumesTest {
  private static final int OSDS = 6;
  private static final int NOT_FOUND = 3;
  private static final int EXISTS = 5;
  private static final int NOT_EMPTY = 6;
  private static final int CROSS_VOLUME = 11;

  @TempDir Path scratch;

  private WeftProcess quickstart(int base) throws Exception {
    WeftProcess process =
        WeftProcess.start(
            scratch,
            "quickstart",
            "--data",
            scratch.resolve("data").toString(),
            "--port-base",
            "" + base,
            "--capacity",
            "1g");
    process.awaitLine(line -> line.contains("is ready"));
    return process;
  }

  @Test
  void aVolumeIsMadeFilledRestartedEmptiedAndDeleted() throws Exception {
    int base = FreePorts.base(OSDS);
    WeftCli weft = new WeftCli(base);
    byte[] bytes = new byte[3_000_000];
    new Random(1).nextBytes(bytes);
    Path file = Files.write(scratch.resolve("file"), bytes);
    try (WeftProcess process = quickstart(base)) {
      weft.run("fs", "mkdir", "/projects");
      weft.run("volume", "create", "/projects/data", "--parity-max", "3");
      assertEquals(EXISTS, weft.tryRun("volume", "create", "/projects/data").exitCode());
      assertEquals(NOT_FOUND, weft.tryRun("volume", "create", "/nowhere/data").exitCode());
      assertEquals(EXISTS, weft.tryRun("volume", "create", "/tmp").exitCode());
      weft.run("fs", "mkdir", "/projects/data/in");
      weft.run("fs", "put", file.toString(), "/projects/data/in/file");
      assertEquals(
          CROSS_VOLUME, weft.tryRun("fs", "mv", "/projects/data/in/file", "/tmp/file").exitCode());
      // A journal whose volume was not made, and that is not marked yet, outlives a kill on
      // purpose.
      awaitJournals("volume-1", "volume-2");
      process.kill();
    }
    try (WeftProcess process = quickstart(base)) {
      String list = weft.run("volume", "list");
      assertTrue(list.contains("/projects/data") && list.contains("active"), list);
      assertTrue(list.contains("Not made: /nowhere/data"), list);
      assertTrue(weft.run("fs", "ls", "/projects").contains("data"));
      Path copy = scratch.resolve("copy");
      weft.run("fs", "get", "/projects/data/in/file", copy.toString());
      assertArrayEquals(bytes, Files.readAllBytes(copy));
      assertEquals(NOT_EMPTY, weft.tryRun("volume", "delete", "/projects/data").exitCode());
      weft.run("fs", "rm", "-r", "/projects/data/in");
      weft.run("volume", "delete", "/projects/data");
      assertFalse(weft.run("volume", "list", "--json").contains("\"active\",\"maxParity\":3"));
      assertEquals("", weft.run("fs", "ls", "/projects"));
      assertEquals(NOT_FOUND, weft.tryRun("volume", "delete", "/projects/data").exitCode());
      weft.run("fs", "mkdir", "/projects/data");
      // Its manager removes the journal when it hears that the volume is gone.
      awaitJournals("volume-1");
      assertEquals(0, process.stop(), process.output());
    }
    assertEquals(List.of("volume-1"), journals());
  }

  private void awaitJournals(String... wanted) throws Exception {
    AtomicReference<List<String>> last = new AtomicReference<>(List.of());
    Await.until(
        60,
        () -> "the journals are " + last.get(),
        () -> {
          last.set(journals());
          return last.get().equals(List.of(wanted));
        });
  }

  private List<String> journals() throws IOException {
    try (Stream<Path> files = Files.walk(scratch.resolve("data"))) {
      return files
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .filter(name -> name.matches("volume-[0-9]+"))
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      // A file went while they were walked.
      return List.of();
    }
  }
}
