package org.weft.bench.load;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;

/**
 * What is done around each repetition, outside its time.
 *
 * @param beforeCommand a line for the shell, before anything is measured; empty: nothing
 * @param syncAfter everything dirty goes to disk before the CPU is read again, so that writing it
 *     is counted
 */
public record Scene(String beforeCommand, boolean syncAfter) {
  public static final Scene PLAIN = new Scene("", false);

  void before(int restSeconds) throws IOException {
    rest(restSeconds);
    if (!beforeCommand.isEmpty()) {
      run(List.of("bash", "-c", beforeCommand));
    }
  }

  void after(int settleSeconds) throws IOException {
    rest(settleSeconds);
    if (syncAfter) {
      run(List.of("sync"));
    }
  }

  private static void rest(int seconds) throws IOException {
    if (seconds > 0) {
      run(List.of("sleep", Integer.toString(seconds)));
    }
  }

  private static void run(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(String.join(" ", command) + " failed with code " + code);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for " + command.get(0));
    }
  }
}
