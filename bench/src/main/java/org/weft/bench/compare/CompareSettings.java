package org.weft.bench.compare;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;

/**
 * How all cases of a plan are run.
 *
 * @param repetitions that count, of each system
 * @param warmUpSeconds of each system before the first one; 0: none
 * @param verify let another client read what was written
 * @param heapsOf data directory of a quickstart, the heaps of whose daemons are measured when a
 *     case has made its files; may be null
 * @param runName makes the directories of this run its own
 */
record CompareSettings(
    int repetitions, int warmUpSeconds, boolean verify, Path heapsOf, String runName) {
  /** A line for the shell; fails if it does. */
  void shell(String line) throws IOException {
    Process process = new ProcessBuilder("bash", "-c", line).inheritIO().start();
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException("'" + line + "' failed with code " + code);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for '" + line + "'");
    }
  }
}
