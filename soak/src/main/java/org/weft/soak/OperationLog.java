package org.weft.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The log of one thread of a client: operations begun, and operations acknowledged. A line has
 * reached the kernel before the call returns, so that it outlives the process. Each line begins
 * with its kind and the time of the machine's monotonic clock, which all processes share.
 */
final class OperationLog implements AutoCloseable {
  static final String BEGIN = "begin";
  static final String DONE = "done";
  static final String FAIL = "fail";
  static final String BAD = "bad";

  private final FileChannel channel;

  OperationLog(Path file) throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  void begin(SoakOp operation) {
    line(BEGIN, operation.toString());
  }

  /** Acknowledged; {@code bytes} were read and found right. */
  void done(SoakOp operation, long bytes) {
    line(DONE, operation.number() + " " + bytes);
  }

  /** Refused, or unknown: it may have happened or not. */
  void fail(SoakOp operation, Throwable why) {
    line(FAIL, operation.number() + " " + oneLine(String.valueOf(why.getMessage())));
  }

  /** Something was read that must not be there. */
  void bad(String what) {
    line(BAD, oneLine(what));
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private void line(String kind, String text) {
    ByteBuffer line =
        ByteBuffer.wrap(
            (kind + " " + System.nanoTime() + " " + text + "\n").getBytes(StandardCharsets.UTF_8));
    try {
      while (line.hasRemaining()) {
        channel.write(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a client cannot keep its log", e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
