package org.weft.cli.output;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.Consumer;

/** Collects what went wrong in a command: one line each on standard error. Thread-safe. */
public final class Failures {
  private final String command;
  private final PrintWriter err;
  private final boolean verbose;
  private Consumer<String> printer;
  private boolean any;
  private boolean stop;

  /**
   * @param command "put"
   * @param verbose print the stack of each failure too
   */
  public Failures(String command, PrintWriter err, boolean verbose) {
    this.command = command;
    this.err = err;
    this.verbose = verbose;
    this.printer = this::print;
  }

  /** Prints through the progress line while there is one; null: as usual again. */
  public synchronized void through(Progress progress) {
    printer = progress == null ? this::print : progress::print;
  }

  private void print(String line) {
    err.println(line);
    err.flush();
  }

  /** Says what failed; the command goes on with the rest unless {@link #stop}. */
  public synchronized void add(Exception failure) {
    if (stop) {
      // What ends everything is said once.
      return;
    }
    any = true;
    stop = failure instanceof IOException io && FailureText.endsAll(io);
    printer.accept("weft: " + command + ": " + FailureText.of(failure));
    if (verbose) {
      failure.printStackTrace(err);
    }
  }

  /** A failure in words. */
  public synchronized void add(String text) {
    any = true;
    printer.accept("weft: " + command + ": " + text);
  }

  /** True once a failure will meet everything else as well. */
  public synchronized boolean stop() {
    return stop;
  }

  public synchronized boolean any() {
    return any;
  }
}
