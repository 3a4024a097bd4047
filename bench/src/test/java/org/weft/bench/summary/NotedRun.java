package org.weft.bench.summary;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** What scripts note of a run, by their own functions: {@code bench/run-notes}. */
public final class NotedRun {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

  private NotedRun() {}

  /** Notes a run that has ended, of {@code bench/fake --reps 3}. */
  public static void in(Path directory) throws IOException {
    begin(directory, "--reps", "3");
    shell("note_end \"$1\"", directory);
  }

  /** Notes a run that has begun. */
  static void begin(Path directory, String... arguments) throws IOException {
    shell("note_begin fake \"$@\"", directory, arguments);
  }

  private static void shell(String line, Path directory, String... arguments) throws IOException {
    String[] command = new String[arguments.length + 5];
    command[0] = "bash";
    command[1] = "-euc";
    command[2] = "source \"$home/bench/run-notes\"; " + line;
    command[3] = "run";
    command[4] = directory.toString();
    System.arraycopy(arguments, 0, command, 5, arguments.length);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .putAll(Map.of("home", HOME.toString(), "WEFT_BENCH_CONDITIONS", "a test"));
    Process process = builder.start();
    try (OutputStream in = process.getOutputStream();
        InputStream out = process.getInputStream()) {
      in.close();
      String said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException("'" + line + "' ended with " + code + ": " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
