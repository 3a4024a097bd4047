package org.weft.it.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;

/** Runs {@code weft} commands against a cluster, each in a JVM of its own as a user would. */
public final class WeftCli {
  /** What a command printed, and how it ended. */
  public record Result(int exitCode, String output) {}

  private final Path scratch;
  private final String cluster;

  public WeftCli(Path scratch, int portBase) {
    this.scratch = scratch;
    this.cluster = "127.0.0.1:" + portBase;
  }

  /** Runs a command that must succeed; its output. */
  public String run(String... arguments) throws Exception {
    Result result = tryRun(arguments);
    assertEquals(0, result.exitCode(), () -> String.join(" ", arguments) + ": " + result.output());
    return result.output();
  }

  public Result tryRun(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--cluster";
    all[arguments.length + 1] = cluster;
    try (WeftProcess process = WeftProcess.start(scratch, all)) {
      int exitCode = process.awaitEnd();
      return new Result(exitCode, process.output());
    }
  }
}
