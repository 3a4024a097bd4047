package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program of the tests in a JVM of its own, with limits of its own. */
public final class ChildJvm {
  private final List<String> options;

  public ChildJvm(String... options) {
    this.options = List.of(options);
  }

  /** What it prints; it must end well. */
  public List<String> run(Class<?> program, String... args) throws Exception {
    String tests = System.getProperty("surefire.test.class.path");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // What is over soon compiles little, and collects garbage in one thread.
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(options);
    command.add("-cp");
    command.add(tests == null ? System.getProperty("java.class.path") : tests);
    command.add(program.getName());
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the program does not end");
      assertEquals(0, process.exitValue(), output);
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }
}
