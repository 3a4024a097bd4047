package org.weft.it.process;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** What the JDK cannot do to a process: freeze it, and let it go on. */
public final class Signals {
  private static final long SECONDS = 30;

  private Signals() {}

  /** SIGSTOP: from now on it does nothing, and nobody is told. */
  public static void freeze(ProcessHandle process) throws IOException, InterruptedException {
    send("STOP", process);
  }

  /** SIGCONT: it goes on as if no time had passed. */
  public static void thaw(ProcessHandle process) throws IOException, InterruptedException {
    send("CONT", process);
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
              + new String(kill.getInputStream().readAllBytes()));
    }
  }
}
