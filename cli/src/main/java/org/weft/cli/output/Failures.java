package org.weft.cli.output;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.Consumer;
import org.weft.protocol.error.WeftException;

/** Collects what went wrong in a command: one line each on standard error. Thread-safe. */
public final class Failures {
  private final String command;
  private final PrintWriter err;
  private final boolean verbose;
  private final boolean json;
  private Progress progress;
  private ExitCode exitCode = ExitCode.OK;
  private long count;
  private boolean stop;

  /**
   * @param command "put"
   * @param verbose print the stack of each failure too
   * @param json print each failure as an object
   */
  public Failures(String command, PrintWriter err, boolean verbose, boolean json) {
    this.command = command;
    this.err = err;
    this.verbose = verbose;
    this.json = json;
  }

  /** Prints through the progress line while there is one; null: as usual again. */
  public synchronized void through(Progress shown) {
    progress = shown;
  }

  private Consumer<String> printer() {
    return progress == null ? this::print : progress::print;
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
    stop = failure instanceof IOException io && FailureText.endsAll(io);
    String kind =
        failure instanceof WeftException rpc ? rpc.code().name() : ExitCode.of(failure).name();
    note(ExitCode.of(failure), kind, FailureText.of(failure));
    if (verbose) {
      failure.printStackTrace(err);
    }
  }

  /** Says something that is no failure; nothing where standard error is for programs. */
  public synchronized void notice(String text) {
    if (!json) {
      printer().accept("weft: " + command + ": " + text);
    }
  }

  /** Adds a failure, as text. */
  public synchronized void add(String text) {
    note(ExitCode.FAILURE, ExitCode.FAILURE.name(), text);
  }

  private void note(ExitCode code, String kind, String text) {
    exitCode = count == 0 || exitCode == code ? code : ExitCode.FAILURE;
    count++;
    if (progress != null) {
      progress.addError();
    }
    if (json) {
      printer()
          .accept(
              Json.line(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("command", command)
                      .put("error", kind.toLowerCase(Locale.ROOT))
                      .put("exitCode", code.number())
                      .put("message", text)));
    } else {
      printer().accept("weft: " + command + ": " + text);
    }
  }

  /** True once a failure will meet everything else as well. */
  public synchronized boolean stop() {
    return stop;
  }

  public synchronized boolean any() {
    return count > 0;
  }

  public synchronized long count() {
    return count;
  }

  /** The exit code of all failures if they are of one kind; FAILURE if not; OK if there is none. */
  public synchronized ExitCode exitCode() {
    return exitCode;
  }
}
