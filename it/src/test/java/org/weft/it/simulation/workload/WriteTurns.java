package org.weft.it.simulation.workload;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutWish;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.it.simulation.check.FileHistory;
import org.weft.it.simulation.check.Seen;
import org.weft.it.simulation.check.Writer;
import org.weft.it.simulation.model.Fill;
import org.weft.it.simulation.model.Kind;
import org.weft.it.simulation.model.NameOperation;

/** What a hand does with the one file that it has open for writing. */
final class WriteTurns {
  private static final int BLOCK_BYTES = 4096;
  private static final int MOST_STRIPES = 8;
  private static final int SMALL_BYTES = 600;

  /** The calls that streams and files open for update have in common. */
  private interface Handle {
    CompletableFuture<Void> hflush();

    CompletableFuture<Void> hsync();

    CompletableFuture<?> close();

    CompletableFuture<Void> abort();
  }

  private final Hand hand;
  private Writer history;
  private Handle handle;
  private WeftFile file;
  private WeftOutput stream;
  private String what = "";

  WriteTurns(Hand hand) {
    this.hand = hand;
  }

  private RandomGenerator random() {
    return hand.random();
  }

  private Histories histories() {
    return hand.histories();
  }

  boolean isOpen() {
    return handle != null;
  }

  /** The client is gone. */
  void died() {
    if (history != null) {
      history.lost();
    }
  }

  void open() {
    int kind = random().nextInt(100);
    if (isShared() && kind >= 20) {
      update(hand.workload().paths().file(random()));
    } else if (kind < 45) {
      create();
    } else if (kind < 82) {
      update(hand.workload().paths().file(random()));
    } else {
      append(hand.workload().paths().file(random()));
    }
  }

  private boolean isShared() {
    return hand.workload().geometry().shared();
  }

  private void create() {
    String path = hand.workload().paths().any(random());
    boolean overwrite = random().nextInt(3) == 0;
    List<LayoutWish> layouts = hand.workload().geometry().layouts();
    CreateOptions fresh = overwrite ? CreateOptions.replacing() : CreateOptions.newFile();
    // Else as the directory says.
    Optional<LayoutWish> wish =
        random().nextInt(3) != 0
            ? Optional.of(layouts.get(random().nextInt(layouts.size())))
            : Optional.empty();
    CreateOptions options = wish.map(fresh::withLayout).orElse(fresh);
    long asked = histories().moment();
    hand.names()
        .ask(
            new NameOperation.Create(path, overwrite),
            () -> hand.files().create(WeftPath.of(path), options),
            output -> Seen.object(output.objectId(), Optional.of(Kind.FILE)),
            output -> opened(output, asked));
  }

  private void append(String path) {
    long asked = histories().moment();
    hand.names()
        .ask(
            new NameOperation.Open(path),
            () -> hand.files().append(WeftPath.of(path)),
            output -> Seen.object(output.objectId(), Optional.of(Kind.FILE)),
            output -> opened(output, asked));
  }

  private void update(String path) {
    long asked = histories().moment();
    hand.names()
        .ask(
            new NameOperation.Open(path),
            () -> hand.files().openForUpdate(WeftPath.of(path), isShared()),
            opened -> Seen.object(opened.objectId(), Optional.of(Kind.FILE)),
            opened -> opened(opened, asked));
  }

  private void opened(WeftOutput output, long asked) {
    stream = output;
    what = "object " + output.objectId();
    history =
        histories()
            .file(output.objectId())
            .opened(hand.name(), true, asked, histories().moment(), output.positionBytes());
    handle =
        new Handle() {
          @Override
          public CompletableFuture<Void> hflush() {
            return output.hflush();
          }

          @Override
          public CompletableFuture<Void> hsync() {
            return output.hsync();
          }

          @Override
          public CompletableFuture<?> close() {
            return output.close();
          }

          @Override
          public CompletableFuture<Void> abort() {
            return output.abort();
          }
        };
  }

  private void opened(WeftFile opened, long asked) {
    file = opened;
    what = "object " + opened.objectId();
    FileHistory ofFile = histories().file(opened.objectId());
    long size = opened.sizeBytes();
    history =
        isShared()
            ? ofFile.shared(hand.name(), asked, histories().moment(), size)
            : ofFile.opened(hand.name(), false, asked, histories().moment(), size);
    handle =
        new Handle() {
          @Override
          public CompletableFuture<Void> hflush() {
            return opened.hflush();
          }

          @Override
          public CompletableFuture<Void> hsync() {
            return opened.hsync();
          }

          @Override
          public CompletableFuture<?> close() {
            return opened.close();
          }

          @Override
          public CompletableFuture<Void> abort() {
            return opened.abort();
          }
        };
  }

  /** A call failed, of which the file may be open still. */
  private void leave() {
    Handle left = handle;
    forget();
    if (left != null) {
      var unused = left.abort();
    }
  }

  private void forget() {
    handle = null;
    file = null;
    stream = null;
    history = null;
  }

  void turn() {
    int kind = random().nextInt(100);
    if (kind < 52) {
      write();
    } else if (kind < 66) {
      flush(kind < 61);
    } else if (kind < 80 && file != null) {
      change(kind);
    } else if (kind < 97) {
      end();
    } else {
      giveUp();
    }
  }

  private void change(int kind) {
    if (kind < 74 && isShared()) {
      write();
    } else if (kind < 74) {
      setLength(position(most()));
    } else {
      long from = position(history.size() + BLOCK_BYTES);
      punch(from, 1 + random().nextInt(2 * stripeBytes()));
    }
  }

  private int stripeBytes() {
    return hand.workload().geometry().stripeBytes();
  }

  private long most() {
    return (long) MOST_STRIPES * stripeBytes();
  }

  /** Anywhere up to there, often at a border of blocks. */
  private long position(long most) {
    long position = random().nextLong(most + 1);
    return random().nextBoolean() ? position : position / BLOCK_BYTES * BLOCK_BYTES;
  }

  private int length() {
    return switch (random().nextInt(4)) {
      case 0 -> 1 + random().nextInt(SMALL_BYTES);
      case 1 -> BLOCK_BYTES * (1 + random().nextInt(4));
      case 2 -> 1 + random().nextInt(stripeBytes());
      default -> 1 + random().nextInt(5 * stripeBytes() / 2);
    };
  }

  private void write() {
    int length = length();
    long from = stream != null ? history.size() : position(Math.min(history.size(), most()) + 9000);
    if (stream != null && from > most()) {
      end();
      return;
    }
    int number = histories().nextWrite();
    ByteBuffer bytes = Fill.bytes(number, from, length);
    Writer.Attempt attempt = history.write(number, histories().moment(), from, from + length);
    ask(
        "write " + number + " to " + from + ".." + (from + length),
        attempt,
        () -> stream != null ? stream.write(bytes) : file.write(from, bytes));
  }

  private <T> void ask(String does, Writer.Attempt attempt, Supplier<CompletableFuture<T>> call) {
    hand.ask(does + " in " + what, call, hand.of(attempt, this::leave));
  }

  private void flush(boolean hflush) {
    ask(
        hflush ? "hflush" : "hsync",
        history.flush(histories().moment(), !hflush),
        () -> hflush ? handle.hflush() : handle.hsync());
  }

  private void setLength(long length) {
    ask(
        "length " + length,
        history.setLength(histories().moment(), length),
        () -> file.setLength(length));
  }

  private void punch(long from, long length) {
    ask(
        "punch " + from + ".." + (from + length),
        history.punch(histories().moment(), from, from + length),
        () -> file.punch(from, length));
  }

  /** Closes it. */
  void end() {
    Handle ending = handle;
    Writer.Attempt attempt = history.close(histories().moment());
    forget();
    hand.ask("close " + what, ending::close, hand.of(attempt, () -> {}));
  }

  private void giveUp() {
    Handle ending = handle;
    history.lost();
    forget();
    hand.ask("give up " + what, ending::abort, Hand.ignoring());
  }
}
