package org.weft.osd.kill;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.Endpoint;

/** A running {@link OsdChild}. */
final class OsdProcess {
  private static final int EXIT_SECONDS = 60;

  private final Process process;

  private OsdProcess(Process process) {
    this.process = process;
  }

  /** Does not wait for anything. */
  static OsdProcess start(Path directory, Path scratch, Endpoint sysmgr, byte[] joinToken)
      throws IOException {
    Files.createDirectories(scratch);
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + scratch,
            "-cp",
            System.getProperty("java.class.path"),
            OsdChild.class.getName(),
            directory.toString(),
            sysmgr.toString(),
            HexFormat.of().formatHex(joinToken));
    ProcessBuilder builder = new ProcessBuilder(command);
    // A killed process leaves its native libraries behind: always in the same place.
    builder.environment().put("ROCKSDB_SHAREDLIB_DIR", scratch.toString());
    builder.redirectError(scratch.resolve("child.log").toFile());
    return new OsdProcess(builder.start());
  }

  /** Waits until it serves. */
  Endpoint awaitReady() throws IOException {
    var out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("READY ")) {
        return Endpoint.parse(line.substring("READY ".length()));
      }
    }
    throw new AssertionError("the OSD ended before it served; see child.log");
  }

  /** SIGKILL, and waits until nothing of it is left. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("a killed process did not end");
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Lets it stop cleanly. */
  void stop() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the OSD did not stop");
    }
  }
}
