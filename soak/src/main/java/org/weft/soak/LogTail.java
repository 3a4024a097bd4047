package org.weft.soak;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows a log that another process may still write. Each {@link #update} reads the lines that are
 * complete by then. They include every operation that was acknowledged before the call. Not
 * thread-safe.
 */
final class LogTail {
  /**
   * An operation that was acknowledged.
   *
   * @param bytes read and compared
   */
  record Acknowledgement(SoakOp operation, long begunNanos, long doneNanos, long bytes) {}

  /** Receives the lines of a log, beside the ledger. */
  interface Listener {
    void acknowledged(Acknowledgement acknowledgement);

    void failed(SoakOp operation, String why);

    void bad(String what);
  }

  private static final Listener NONE =
      new Listener() {
        @Override
        public void acknowledged(Acknowledgement acknowledgement) {}

        @Override
        public void failed(SoakOp operation, String why) {}

        @Override
        public void bad(String what) {}
      };

  private static final int READ_BYTES = 1 << 16;

  private final Path file;
  private final Listener listener;
  private final Ledger ledger;
  private long position;
  private byte[] rest = new byte[0];
  private long begunNanos;
  private long lastNanos = Long.MAX_VALUE;
  private final Map<String, Long> tookNanos = new HashMap<>();

  LogTail(Path file) {
    this(file, NONE);
  }

  LogTail(Path file, Listener listener) {
    this.file = file;
    this.listener = listener;
    this.ledger = new Ledger(file.getParent());
  }

  /** What a log said by a moment of the machine's monotonic clock. */
  static Ledger until(Path file, long nanos) throws IOException {
    LogTail tail = new LogTail(file);
    tail.lastNanos = nanos;
    tail.update();
    return tail.ledger();
  }

  /** When this client had taken the file. */
  long tookNanos(String path) {
    return tookNanos.get(path);
  }

  Path file() {
    return file;
  }

  Ledger ledger() {
    return ledger;
  }

  void update() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(position);
      ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
      while (channel.read(buffer.clear()) > 0) {
        position += buffer.flip().remaining();
        for (String line : lines(buffer)) {
          take(line);
        }
      }
    }
  }

  private List<String> lines(ByteBuffer read) {
    byte[] all = new byte[rest.length + read.remaining()];
    System.arraycopy(rest, 0, all, 0, rest.length);
    read.get(all, rest.length, read.remaining());
    List<String> lines = new ArrayList<>();
    int from = 0;
    for (int at = 0; at < all.length; at++) {
      if (all[at] == '\n') {
        lines.add(new String(all, from, at - from, StandardCharsets.UTF_8));
        from = at + 1;
      }
    }
    rest = java.util.Arrays.copyOfRange(all, from, all.length);
    return lines;
  }

  private void take(String line) {
    String[] words = line.split(" ");
    long nanos = Long.parseLong(words[1]);
    if (nanos > lastNanos) {
      return;
    }
    switch (words[0]) {
      case OperationLog.BEGIN -> {
        begunNanos = nanos;
        ledger.begun(SoakOp.parse(words, 2));
      }
      case OperationLog.DONE -> {
        SoakOp operation = ledger.done(Long.parseLong(words[2]));
        long bytes = Long.parseLong(words[3]);
        if (operation.kind() == SoakOp.Kind.TAKE) {
          tookNanos.put(operation.path(), nanos);
        }
        listener.acknowledged(new Acknowledgement(operation, begunNanos, nanos, bytes));
      }
      case OperationLog.FAIL ->
          listener.failed(ledger.failed(Long.parseLong(words[2])), rest(line));
      case OperationLog.BAD -> listener.bad(rest(line));
      default -> throw new IllegalStateException(file + " holds: " + line);
    }
  }

  private static String rest(String line) {
    String[] words = line.split(" ", 4);
    return words.length < 4 ? line : words[2] + " " + words[3];
  }
}
