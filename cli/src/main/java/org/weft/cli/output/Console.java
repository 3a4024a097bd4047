package org.weft.cli.output;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The three streams of a command. Text is UTF-8. {@link #bytes} is unbuffered; {@link #text} writes
 * into the same stream and is flushed by a caller that changes over.
 *
 * @param errIsTerminal a user may watch the progress
 * @param columns width of that terminal
 */
public record Console(
    InputStream in,
    OutputStream bytes,
    PrintWriter text,
    PrintWriter err,
    boolean errIsTerminal,
    int columns) {
  private static final int DEFAULT_COLUMNS = 80;
  private static final int MIN_COLUMNS = 40;

  /** The process's own streams. */
  public static Console system() {
    FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    FileOutputStream err = new FileOutputStream(FileDescriptor.err);
    return of(new FileInputStream(FileDescriptor.in), out, err, isTerminal(2), columnsOfTerminal());
  }

  /** Any streams, for tests. */
  public static Console of(
      InputStream in, OutputStream out, OutputStream err, boolean errIsTerminal, int columns) {
    return new Console(
        in,
        out,
        new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), false),
        new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true),
        errIsTerminal,
        columns);
  }

  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static int columnsOfTerminal() {
    String columns = System.getenv("COLUMNS");
    try {
      return columns == null ? DEFAULT_COLUMNS : Math.max(MIN_COLUMNS, Integer.parseInt(columns));
    } catch (NumberFormatException e) {
      return DEFAULT_COLUMNS;
    }
  }
}
