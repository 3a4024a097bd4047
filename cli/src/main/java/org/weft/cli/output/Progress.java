package org.weft.cli.output;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Ticker;

/**
 * One line that says how far a transfer is, with rate and time left, drawn again as work goes on.
 * Thread-safe. On a terminal the line is overwritten; elsewhere, if it was asked for, a new line
 * comes every few seconds.
 */
public final class Progress implements AutoCloseable {
  /** Whether and where the line is shown. */
  public enum Style {
    HIDDEN,
    LINES,
    TERMINAL
  }

  private static final long TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LINES_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int BAR_CELLS = 20;
  private static final int UNKNOWN = -1;

  /** What a file costs beside its bytes, in bytes. */
  private static final long FILE_BYTES = 128 << 10;

  private final PrintWriter err;
  private final Style style;
  private final int columns;
  private final Ticker ticker;
  private final String label;
  private final long startNanos;
  private long totalBytes = UNKNOWN;
  private long totalItems = UNKNOWN;
  private long bytes;
  private long items;
  private long errors;
  private long drawnNanos;
  private int drawnColumns;
  private boolean drawn;

  /**
   * @param label what is being done: "put report.pdf"
   */
  public Progress(PrintWriter err, Style style, int columns, Ticker ticker, String label) {
    this.err = err;
    this.style = style;
    this.columns = columns;
    this.ticker = ticker;
    this.label = label;
    this.startNanos = ticker.nowNanos();
    this.drawnNanos = startNanos;
  }

  /** How it is shown on this console; {@code asked}: also where no user watches. */
  public static Style styleFor(Console console, boolean asked) {
    if (console.errIsTerminal()) {
      return Style.TERMINAL;
    }
    return asked ? Style.LINES : Style.HIDDEN;
  }

  /** How much there is to do; negative: not known. */
  public synchronized void expect(long allBytes, long allItems) {
    totalBytes = allBytes;
    totalItems = allItems;
  }

  /** Adds bytes that were moved. */
  public synchronized void addBytes(long count) {
    bytes += count;
    drawIfDue();
  }

  /** One more file is done. */
  public synchronized void addItem() {
    items++;
    drawIfDue();
  }

  /** One thing failed; another class says what. */
  public synchronized void addError() {
    errors++;
  }

  public synchronized long bytes() {
    return bytes;
  }

  public synchronized long items() {
    return items;
  }

  public double seconds() {
    return (ticker.nowNanos() - startNanos) / 1e9;
  }

  /** Prints a line of its own, above the progress. */
  public synchronized void print(String line) {
    erase();
    err.println(line);
    err.flush();
  }

  private void drawIfDue() {
    if (style == Style.HIDDEN) {
      return;
    }
    long nowNanos = ticker.nowNanos();
    if (nowNanos - drawnNanos < (style == Style.TERMINAL ? TERMINAL_NANOS : LINES_NANOS)) {
      return;
    }
    drawnNanos = nowNanos;
    String line = line();
    if (style == Style.LINES) {
      err.println(line);
    } else {
      String shown = line.length() < columns ? line : line.substring(0, columns - 1);
      err.print("\r" + shown + " ".repeat(Math.max(0, drawnColumns - shown.length())));
      drawnColumns = shown.length();
      drawn = true;
    }
    err.flush();
  }

  String line() {
    double seconds = Math.max(0.001, seconds());
    StringBuilder line = new StringBuilder(label).append("  ");
    double done = share();
    if (totalBytes > 0) {
      int cells = (int) (done * BAR_CELLS);
      line.append(String.format(Locale.ROOT, "%3.0f%% [", Math.floor(done * 100)))
          .append("=".repeat(cells))
          .append(" ".repeat(BAR_CELLS - cells))
          .append("]  ")
          .append(ByteText.of(bytes))
          .append(" of ")
          .append(ByteText.of(totalBytes));
    } else if (bytes > 0 || totalItems == UNKNOWN && items == 0) {
      line.append(ByteText.of(bytes));
    }
    if (totalItems > 1 || totalItems == UNKNOWN && items > 0) {
      line.append(line.charAt(line.length() - 1) == ' ' ? "" : "  ")
          .append(ByteText.grouped(items))
          .append(totalItems > 1 ? " of " + ByteText.grouped(totalItems) : "")
          .append(" files");
    }
    line.append("  ");
    if (bytes > 0) {
      line.append(ByteText.of((long) (bytes / seconds))).append("/s");
    } else {
      line.append(ByteText.grouped((long) (items / seconds))).append(" files/s");
    }
    if (totalBytes > 0 && done > 0 && done < 1) {
      line.append("  ETA ").append(clock(seconds * (1 - done) / done));
    }
    if (errors > 0) {
      line.append("  ").append(ByteText.grouped(errors)).append(errors == 1 ? " error" : " errors");
    }
    return line.toString();
  }

  /** How much is done, 0 to 1: a small file takes as long as some bytes more of a large one. */
  private double share() {
    long eachBytes = totalItems > 1 ? FILE_BYTES : 0;
    double all = (double) totalBytes + eachBytes * totalItems;
    return Math.min(1, (bytes + (double) eachBytes * items) / all);
  }

  private static String clock(double seconds) {
    long whole = (long) Math.ceil(seconds);
    return whole >= 3_600
        ? String.format("%d:%02d:%02d", whole / 3_600, whole % 3_600 / 60, whole % 60)
        : String.format("%d:%02d", whole / 60, whole % 60);
  }

  private void erase() {
    if (drawn) {
      err.print("\r" + " ".repeat(drawnColumns) + "\r");
      err.flush();
      drawn = false;
      drawnColumns = 0;
    }
  }

  /** Takes the line away and, where progress is shown, says what was done. */
  public synchronized void finish(String summary) {
    erase();
    if (style != Style.HIDDEN) {
      err.println(summary);
      err.flush();
    }
  }

  /** Takes the line away. */
  @Override
  public synchronized void close() {
    erase();
  }
}
