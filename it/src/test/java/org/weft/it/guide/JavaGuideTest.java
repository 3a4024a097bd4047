package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.Weft;
import org.weft.protocol.error.WeftException;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftProcess;

/**
 * The programs of docs/java-api.md, as a stranger would use them. They are compiled against the
 * client's own classes and what those need. They run in a JVM of their own on a real cluster.
 */
class JavaGuideTest {
  private static final int PROGRAMS = 5;
  private static final int OSDS = 6;

  /** Artifacts of Weft that a program which depends on weft-client-core does not get. */
  private static final List<String> SERVERS =
      List.of(
          "osd-server",
          "file-recovery",
          "metadata-server",
          "sysmgr",
          "cli",
          "hadoop-fs",
          "nfs-gateway",
          "bench");

  @TempDir Path scratch;

  @Test
  void guideProgramsCompileAgainstTheClientAndPrintAsDocumented() throws Exception {
    List<GuideProgram> programs = GuideProgram.of(Files.readString(page()));
    assertEquals(PROGRAMS, programs.size(), () -> "programs with an output: " + programs);
    Path classes = Files.createDirectory(scratch.resolve("classes"));
    compile(programs, classes);
    int port = FreePorts.base(OSDS);
    try (WeftProcess cluster = WeftProcess.startCluster(scratch, port, OSDS)) {
      List<Run> runs = new ArrayList<>();
      for (GuideProgram program : programs) {
        runs.add(start(program, classes, "127.0.0.1:" + port));
      }
      for (Run run : runs) {
        run.requireOutput();
      }
      assertEquals(0, cluster.stop(), cluster.output());
    }
  }

  @Test
  void errorForASilentClusterNamesItsAddress() {
    WeftException failure =
        assertThrows(
            WeftException.class,
            () -> Weft.connect("127.0.0.1:1", settings -> settings.openTimeoutMillis(500)).close());
    assertTrue(failure.getMessage().contains("127.0.0.1:1"), failure.getMessage());
  }

  private static Path page() {
    Path here = Path.of("").toAbsolutePath();
    return Stream.of(here, here.getParent())
        .map(directory -> directory.resolve("docs/java-api.md"))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow();
  }

  private void compile(List<GuideProgram> programs, Path classes) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all", "-Werror", "-d", classes.toString(), "-cp", clientClassPath()));
    for (GuideProgram program : programs) {
      Path file = scratch.resolve(program.name() + ".java");
      arguments.add(Files.writeString(file, program.source()).toString());
    }
    int exitCode =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertEquals(0, exitCode, "the compiler's messages stand above");
  }

  private static String clientClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(":"))
        .filter(entry -> Files.exists(Path.of(entry)))
        // A client brings no logging of its own.
        .filter(entry -> !entry.contains("logback"))
        .filter(entry -> SERVERS.stream().noneMatch(server -> isOf(entry, server)))
        .collect(Collectors.joining(":"));
  }

  /** As a directory of the build, or as a jar. */
  private static boolean isOf(String entry, String module) {
    return entry.contains("/" + module + "/") || entry.contains("/weft-" + module + "-");
  }

  private Run start(GuideProgram program, Path classes, String address) throws IOException {
    Path output = scratch.resolve(program.name() + ".out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classes + ":" + clientClassPath(),
                program.name(),
                address)
            .redirectOutput(output.toFile())
            .redirectError(scratch.resolve(program.name() + ".err").toFile())
            .start();
    return new Run(program, process, output);
  }

  /** A program that runs. */
  private record Run(GuideProgram program, Process process, Path output) {
    void requireOutput() throws Exception {
      try {
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> program.name() + " does not end");
        assertEquals(program.output(), Files.readString(output), program.name());
        assertEquals(0, process.exitValue(), program.name());
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
