package org.weft.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.system.PolledWait;

/**
 * {@code bench/netem} with programs that note how they are called, in place of {@code id}, {@code
 * ip} and {@code tc}: no namespace of this machine is touched.
 */
class NetemTest {
  /** What build tools take for "skipped". */
  private static final int SKIPPED = 77;

  private static final long DEADLINE_SECONDS = 30;
  private static final String ANSWERED = "exit 0";

  @TempDir private Path folder;
  private Path programs;
  private Path calls;

  @BeforeEach
  void rootWithAllPrograms() throws IOException {
    programs = Files.createDirectory(folder.resolve("programs"));
    calls = Files.createFile(folder.resolve("calls"));
    program("id", "echo 0");
    program("ip", ANSWERED);
    program("tc", ANSWERED);
    program("sh", ANSWERED);
    program("env", "exec \"$@\"");
    program("sed", "exec " + installed("sed") + " \"$@\"");
  }

  private static Path installed(String name) {
    return List.of(Path.of("/bin", name), Path.of("/usr/bin", name)).stream()
        .filter(Files::exists)
        .findFirst()
        .orElseThrow();
  }

  /** Replaces a program with one that notes its arguments and then does this. */
  private void program(String name, String script) throws IOException {
    Path file = programs.resolve(name);
    Files.writeString(
        file, "#!%s\necho %s \"$@\" >> '%s'\n%s\n".formatted(installed("sh"), name, calls, script));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Process netem(String... words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(installed("bash").toString(), "netem");
    builder.command().addAll(List.of(words));
    builder.environment().put("PATH", programs.toString());
    return builder
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("said").toFile())
        .start();
  }

  private int ended(Process process) throws InterruptedException {
    assertTrue(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS), "it ends");
    return process.exitValue();
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("said"), StandardCharsets.UTF_8);
  }

  private boolean called(String start) throws IOException {
    return Files.readAllLines(calls).stream().anyMatch(line -> line.startsWith(start));
  }

  @Test
  void theLinkDelaysBothDirections() throws Exception {
    assertEquals(0, ended(netem("start", "own")), said());
    assertTrue(called("ip netns add own"), "a namespace of this name");
    assertTrue(called("tc qdisc add dev own-h root netem delay 0.25ms rate 10gbit"), said());
    assertTrue(
        called("ip netns exec own tc qdisc add dev own-c root netem delay 0.25ms rate 10gbit"),
        said());
    assertFalse(called("ip netns del"), "it stays until it is stopped");
  }

  @Test
  void withoutRootItIsSkipped() throws Exception {
    program("id", "echo 1000");
    assertEquals(SKIPPED, ended(netem("start", "own")));
    assertTrue(said().contains("only root may make a network namespace"), said());
    assertFalse(called("ip"), "nothing was touched");
  }

  @Test
  void aMissingProgramIsNamed() throws Exception {
    for (String name : List.of("ip", "tc")) {
      Path away = Files.move(programs.resolve(name), folder.resolve(name));
      assertEquals(SKIPPED, ended(netem("start", "own")));
      assertTrue(said().contains(name + " is not installed"), said());
      Files.move(away, programs.resolve(name));
    }
    assertFalse(called("ip"), "nothing was touched");
  }

  @Test
  void aKernelWithoutNamespacesIsSkipped() throws Exception {
    program("ip", "echo 'Operation not permitted' >&2; exit 1");
    assertEquals(SKIPPED, ended(netem("start", "own")));
    assertTrue(said().contains("no network namespace can be made here (Operation not"), said());
    assertFalse(called("ip netns del"), "what is not its own is not removed");
  }

  @Test
  void aKernelWithoutNetemLeavesNothingBehind() throws Exception {
    program("tc", "echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2");
    assertEquals(SKIPPED, ended(netem("start", "own")));
    assertTrue(said().contains("Specified qdisc kind is unknown"), said());
    assertTrue(said().contains("sch_netem"), said());
    assertTrue(called("ip netns del own"), "the namespace");
    assertTrue(called("ip link del own-h"), "the link");
  }

  @Test
  void anInterruptedStartLeavesNothingBehind() throws Exception {
    Path on = folder.resolve("on");
    // It ends with the test, too: it may outlive the script that called it.
    program(
        "tc",
        "while [ -d '%s' ] && [ ! -e '%s' ]; do %s 0.05; done"
            .formatted(folder, on, installed("sleep")));
    Process process = netem("start", "own");
    PolledWait wait =
        PolledWait.every(Duration.ofMillis(20)).atMost(Duration.ofSeconds(DEADLINE_SECONDS));
    assertTrue(wait.until(() -> called("tc ")), "tc is called");
    process.destroy();
    Files.createFile(on);
    ended(process);
    assertTrue(called("ip netns del own"), "the namespace");
    assertTrue(called("ip link del own-h"), "the link");
  }

  @Test
  void anUnknownCommandIsExplained() throws Exception {
    assertEquals(2, ended(netem("begin")));
    assertTrue(said().contains("bench/netem start [NAME]"), said());
  }
}
