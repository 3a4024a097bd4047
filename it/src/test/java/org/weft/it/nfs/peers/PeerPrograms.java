package org.weft.it.nfs.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs programs of this host, each with a deadline. */
final class PeerPrograms {
  private static final long DEADLINE_SECONDS = 120;

  /** Those of administrators are not on the path of everyone. */
  private static final List<String> MORE_FOLDERS = List.of("/usr/sbin", "/sbin");

  /** How a program ended. */
  record Ended(int status, byte[] output, String errors) {
    String text() {
      return new String(output, StandardCharsets.UTF_8);
    }

    String all() {
      return text() + errors;
    }
  }

  private final Path scratch;
  private int runs;

  /**
   * @param scratch takes what programs print
   */
  PeerPrograms(Path scratch) {
    this.scratch = scratch;
  }

  static Optional<Path> find(String program) {
    return Stream.concat(Arrays.stream(System.getenv("PATH").split(":", -1)), MORE_FOLDERS.stream())
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Runs one that is there, and waits for its end. */
  Ended run(String program, String... arguments) throws IOException, InterruptedException {
    Path output = scratch.resolve("output-" + ++runs);
    Path errors = scratch.resolve("errors-" + runs);
    Process process =
        new ProcessBuilder(command(program, arguments))
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(program + " does not end: " + Files.readString(errors));
    }
    return new Ended(process.exitValue(), Files.readAllBytes(output), Files.readString(errors));
  }

  /** The same, of one that must succeed. */
  Ended must(String program, String... arguments) throws IOException, InterruptedException {
    Ended ended = run(program, arguments);
    if (ended.status() != 0) {
      throw new AssertionError(
          program
              + " "
              + String.join(" ", arguments)
              + " ended with "
              + ended.status()
              + ": "
              + ended.all());
    }
    return ended;
  }

  /** Starts one that runs on; its output goes to a file. */
  Process start(String program, String... arguments) throws IOException {
    return new ProcessBuilder(command(program, arguments))
        .redirectErrorStream(true)
        .redirectOutput(scratch.resolve(program + ".log").toFile())
        .start();
  }

  private static List<String> command(String program, String... arguments) {
    String found =
        find(program)
            .orElseThrow(() -> new IllegalStateException(program + " is not there"))
            .toString();
    return Stream.concat(Stream.of(found), Arrays.stream(arguments)).toList();
  }
}
