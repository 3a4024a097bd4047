package org.weft.cli.daemon;

import java.io.PrintWriter;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;

/** Runs one daemon until it is told to stop. */
final class DaemonRun {
  /** Starts the daemon and says in one line what runs where. */
  interface Start {
    Running start(Environment environment) throws Exception;
  }

  /** A daemon that runs. */
  record Running(AutoCloseable daemon, String announcement) {}

  private DaemonRun() {}

  static int run(PrintWriter out, Start start) throws Exception {
    StopSignal stop = StopSignal.install();
    boolean clean = false;
    try {
      runUntil(stop, out, start);
      clean = true;
    } finally {
      stop.stopped(clean);
    }
    return 0;
  }

  private static void runUntil(StopSignal stop, PrintWriter out, Start start) throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create()) {
      Running running = start.start(system.environment());
      try (AutoCloseable daemon = running.daemon()) {
        out.println(running.announcement());
        out.flush();
        stop.await();
      }
    }
  }
}
