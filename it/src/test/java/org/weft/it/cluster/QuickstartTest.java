package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;

/** The first screen of the README, as a new user goes through it. */
class QuickstartTest {
  private static final int OSDS = 6;

  @TempDir Path scratch;

  private WeftProcess quickstart(int base, String... more) throws Exception {
    String[] arguments = new String[more.length + 5];
    System.arraycopy(
        new String[] {
          "quickstart", "--data", scratch.resolve("data").toString(), "--port-base", "" + base
        },
        0,
        arguments,
        0,
        5);
    System.arraycopy(more, 0, arguments, 5, more.length);
    WeftProcess process = WeftProcess.start(scratch, arguments);
    process.awaitLine(line -> line.contains("is ready"));
    return process;
  }

  private Path file(String name, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(name.hashCode()).nextBytes(content);
    return Files.write(scratch.resolve(name), content);
  }

  private void assertComesBack(WeftCli weft, Path original, String path) throws Exception {
    Path copy = scratch.resolve("copy of " + original.getFileName());
    weft.run("fs", "get", path, copy.toString());
    assertArrayEquals(Files.readAllBytes(original), Files.readAllBytes(copy), path);
    Files.delete(copy);
  }

  private static String lineOf(String listing, String name) {
    return listing.lines().filter(line -> line.endsWith(name)).findFirst().orElseThrow();
  }

  private static void assertOthersAreKeptOut(WeftCli weft, Path data) throws IOException {
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(data)));
    String homes = lineOf(weft.run("fs", "ls", "/"), "/user");
    assertTrue(homes.startsWith("drwxr-xr-x"), homes);
  }

  private static void assertStopOfAnOsdIsRefused(int base) throws Exception {
    HttpResponse<String> refused =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(
                            "http://127.0.0.1:" + (base + 1) + "/api/v1/quickstart/osds/1/stop"))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertEquals(403, refused.statusCode(), refused.body());
  }

  /** Two starts for all that is asked of one process: a start is what takes long. */
  @Test
  void quickstartFilesSurviveAKillAndStayPrivate() throws Exception {
    int base = FreePorts.base(OSDS);
    WeftCli weft = new WeftCli(base);
    Path data = scratch.resolve("data");
    Path empty = file("empty", 0);
    Path small = file("small file", 40_000);
    Path large = file("large", 21_000_017);
    try (WeftProcess process = quickstart(base, "--capacity", "1g")) {
      assertOthersAreKeptOut(weft, data);
      weft.run("fs", "chmod", "777", "/user");
      assertStopOfAnOsdIsRefused(base);
      weft.run("fs", "mkdir", "-p", "/tmp/a/b c/ü");
      weft.run("fs", "put", large.toString(), "/tmp/a/large");
      weft.run("fs", "put", small.toString(), empty.toString(), "/tmp/a/b c/ü");
      assertComesBack(weft, large, "/tmp/a/large");
      process.kill();
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (WeftProcess process = quickstart(base, "--capacity", "1g")) {
      assertOthersAreKeptOut(weft, data);
      assertComesBack(weft, large, "/tmp/a/large");
      assertComesBack(weft, small, "/tmp/a/b c/ü/small file");
      assertComesBack(weft, empty, "/tmp/a/b c/ü/empty");
      assertTrue(weft.run("fs", "ls", "/tmp/a").contains("large"));
      String metrics = metrics(base + 1);
      assertTrue(metrics.contains("weft_osd_objects{osd=\"osd-3\"}"), metrics);
      assertTrue(metrics.contains("weft_manager_files"), metrics);
      weft.run("fs", "rm", "-r", "/tmp/a");
      assertEquals(3, weft.tryRun("fs", "ls", "/tmp/a").exitCode());
      assertDemo(base);
      assertEquals(0, process.stop(), process.output());
    }
  }

  @Test
  void daemonsInProcessesOutliveTheirQuickstartAndAreAdopted() throws Exception {
    int base = FreePorts.base(OSDS);
    WeftCli weft = new WeftCli(base);
    Path file = file("file", 3_000_000);
    Path run = scratch.resolve("data").resolve("run");
    // Each process takes seconds to start; the other test has as many as a new user.
    String[] options = {"--processes", "--capacity", "1g", "--osds", "4"};
    String osd;
    try (WeftProcess process = quickstart(base, options)) {
      weft.run("fs", "put", file.toString(), "/tmp/file");
      osd = Files.readString(run.resolve("osd-3.pid")).trim();
      assertTrue(metrics(base + 1_102).contains("weft_osd_objects{osd=\"osd-"));
      assertTrue(metrics(base + 1_010).contains("weft_manager_volumes 1.0"));
      assertTrue(metrics(base + 1).contains("opcode=\"heartbeat\",outcome=\"ok\""));
      process.kill();
    }
    assertTrue(ProcessHandle.of(Long.parseLong(osd)).isPresent(), "the OSD lives on");
    assertComesBack(weft, file, "/tmp/file");
    try (WeftProcess process = quickstart(base, options)) {
      assertEquals(osd, Files.readString(run.resolve("osd-3.pid")).trim());
      assertDemo(base);
      assertEquals(0, process.stop(), process.output());
      assertFalse(Files.exists(run.resolve("osd-3.pid")), process.output());
    }
  }

  private static String metrics(int port) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .timeout(Duration.ofSeconds(60))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private void assertDemo(int base) throws Exception {
    try (WeftProcess demo =
        WeftProcess.start(
            scratch,
            "demo",
            "--data",
            scratch.resolve("data").toString(),
            "--cluster",
            "127.0.0.1:" + base,
            "--file",
            file("demo", 24_000_000).toString())) {
      assertEquals(0, demo.awaitEnd(), demo.output());
      assertTrue(demo.output().contains("same SHA-256"), demo.output());
    }
  }
}
