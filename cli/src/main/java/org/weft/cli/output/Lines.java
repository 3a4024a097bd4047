package org.weft.cli.output;

import java.io.IOException;
import java.io.PrintWriter;

/**
 * Lines of text for a reader that may go away in the middle, like {@code head}. Not thread-safe.
 */
public final class Lines {
  /** Message of the failure when the reader has gone; the operating system's own. */
  public static final String BROKEN_PIPE = "Broken pipe";

  private static final int CHECK_EACH = 256;

  private final PrintWriter out;
  private int unchecked;

  public Lines(PrintWriter out) {
    this.out = out;
  }

  /** Fails with {@link #BROKEN_PIPE}, some lines late, if the reader has gone. */
  public void println(String line) throws IOException {
    print(line + "\n");
  }

  /** Text with ends of lines of its own. */
  public void print(String text) throws IOException {
    out.print(text);
    if (++unchecked >= CHECK_EACH) {
      check();
    }
  }

  /** Sends what was printed on its way. */
  public void check() throws IOException {
    unchecked = 0;
    if (out.checkError()) {
      throw new IOException(BROKEN_PIPE);
    }
  }
}
