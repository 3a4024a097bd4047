package org.weft.cli.daemon;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM. The main thread waits for the signal, stops everything in order, and says
 * when it is done. Only then does the JVM end. The exit code is 0 if everything was stopped
 * cleanly.
 */
public final class StopSignal {
  static final long MAX_STOP_SECONDS = 60;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean clean;

  private StopSignal() {}

  /** Takes over what SIGTERM and Ctrl-C do from here on. */
  public static StopSignal install() {
    StopSignal signal = new StopSignal();
    Runtime.getRuntime().addShutdownHook(new Thread(signal::stopAndWait, "stop-signal"));
    return signal;
  }

  private void stopAndWait() {
    asked.countDown();
    try {
      if (!done.await(MAX_STOP_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("weft: did not stop within " + MAX_STOP_SECONDS + " s; ending anyway");
      } else if (clean) {
        // A signal that was obeyed is no failure; the JVM would report 128 + its number.
        Runtime.getRuntime().halt(0);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks for the end from within. */
  void ask() {
    asked.countDown();
  }

  /** Waits until the end is asked for. */
  public void await() throws InterruptedException {
    asked.await();
  }

  /** Waits a while; true if the end was asked for. */
  public boolean await(long millis) throws InterruptedException {
    return asked.await(millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Everything has been stopped; must be called before the main thread ends.
   *
   * @param cleanly nothing failed on the way
   */
  public void stopped(boolean cleanly) {
    clean = cleanly;
    done.countDown();
  }
}
