package org.weft.testkit.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What the JDK cannot do to a process: freeze it, and let it go on. */
public final class Signals {
  private static final long SECONDS = 30;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Signals() {}

  /** SIGSTOP: when this returns it does nothing any more, and no process is told. */
  public static void freeze(ProcessHandle process) throws IOException, InterruptedException {
    send("STOP", process);
    // One thread gets the signal, and stops the others when it gets a processor. On a busy machine
    // the others go on for a tenth of a second.
    long looksLeft = TimeUnit.SECONDS.toNanos(SECONDS) / LOOK_NANOS;
    while (!isStill(process)) {
      if (looksLeft-- == 0) {
        throw new AssertionError("pid " + process.pid() + " does not stand still");
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** SIGCONT: it goes on as if no time had passed. */
  public static void thaw(ProcessHandle process) throws IOException, InterruptedException {
    send("CONT", process);
  }

  private static boolean isStill(ProcessHandle process) {
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    String[] each = threads.toFile().list();
    if (each == null) {
      return !process.isAlive();
    }
    try {
      for (String thread : each) {
        if (!isStill(threads.resolve(thread).resolve("stat"))) {
          return false;
        }
      }
    } catch (IOException e) {
      // That thread has ended; the others are looked at again.
      return !process.isAlive();
    }
    return true;
  }

  /** The state stands behind the name, which may hold anything. */
  private static boolean isStill(Path stat) throws IOException {
    String text = Files.readString(stat);
    char state = text.charAt(text.lastIndexOf(')') + 2);
    return state == 'T' || state == 'Z' || state == 'X';
  }

  private static void send(String signal, ProcessHandle process)
      throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-s", signal, Long.toString(process.pid()))
            .redirectErrorStream(true)
            .start();
    if (!kill.waitFor(SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException(
          "SIG"
              + signal
              + " did not reach pid "
              + process.pid()
              + ": "
              + new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
