package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Gives new bytes to a range of a file, stripe by stripe, several at a time within the writer's
 * window (P 5.3). Each stripe is read as far as it stays, encoded once, and sent; no stripe occurs
 * twice in one range, and ranges come one after another, so that never two writes of one stripe are
 * under way.
 */
final class RangeUpdate {
  /** Every renewal of the grant may disturb a read that is under way. */
  private static final int MOST_READS = 8;

  /**
   * What is to be done.
   *
   * @param fromBytes of the file; less than {@code toBytes}
   * @param data the new bytes; null for zeros
   * @param oldEndBytes bytes of the file from here on are zeros before the update
   * @param readableBytes length of the file for those who read its old bytes
   * @param establishes file length to establish at least, and whether the file is cut thereby
   */
  record Range(
      long fromBytes,
      long toBytes,
      ByteBuffer data,
      long oldEndBytes,
      long readableBytes,
      StripeValues.Establishes establishes) {}

  private final StripeEngine engine;
  private final RunSender sender;
  private final StripeRoom room;
  private final FailureListener listener;
  private final Layout layout;
  private final ErasureCode code;
  private final Range range;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  // Touched by one step at a time; steps follow each other.
  private long nextBytes;

  // Guarded by the monitor.
  private WriteTerms readTerms;
  private StripeReader reader;
  private int underWay = 1;
  private RpcException failure;

  RangeUpdate(
      StripeEngine engine,
      RunSender sender,
      StripeRoom room,
      ErasureCode code,
      FailureListener listener,
      Range range) {
    this.engine = engine;
    this.sender = sender;
    this.room = room;
    this.listener = listener;
    this.layout = sender.terms().file().layout();
    this.code = code;
    this.range = range;
    this.nextBytes = range.fromBytes();
  }

  /** Completes when every component has acknowledged everything and nobody looks at the data. */
  CompletableFuture<Void> start() {
    advance();
    return done;
  }

  private void advance() {
    while (nextBytes < range.toBytes() && !hasFailed()) {
      StripeRoom.Answer answer = room.takeOrWait(this::advance);
      if (answer == StripeRoom.Answer.NONE) {
        return;
      }
      if (answer == StripeRoom.Answer.ENDED) {
        note(ended());
        break;
      }
      StripeSpan span = StripeSpan.first(layout, nextBytes, range.toBytes());
      nextBytes = span.endInFile();
      // While the first unit may have to be read from a copy, nothing may grow the file.
      boolean alone = span.stripe() == 0 && layout.isSmall(range.readableBytes());
      begin(span, alone);
      if (alone) {
        return;
      }
    }
    ended(null);
  }

  private RpcException ended() {
    RpcException why = sender.failure();
    return why == null
        ? new RpcException(ErrorCode.CANCELLED, "the file was given up by its writer")
        : why;
  }

  private void begin(StripeSpan span, boolean advanceWhenRead) {
    synchronized (this) {
      underWay++;
    }
    StripeValues.Establishes least = range.establishes();
    long end = range.data() == null ? 0 : span.endInFile();
    StripeValues.Establishes establishes =
        new StripeValues.Establishes(Math.max(least.eofBytes(), end), least.truncationNumber());
    StripeValues values = new StripeValues(span, engine.pool(), establishes, room::freed);
    read(values, MOST_READS, advanceWhenRead);
  }

  private void read(StripeValues values, int readsLeft, boolean advanceWhenRead) {
    WriteTerms terms;
    CompletableFuture<Void> read;
    try {
      StripeReader from;
      synchronized (this) {
        terms = sender.terms();
        if (terms != readTerms) {
          readTerms = terms;
          reader = engine.read(terms.file(), range.readableBytes(), false, listener);
        }
        from = reader;
      }
      read = OldBytes.into(values, from, range.oldEndBytes());
    } catch (RuntimeException e) {
      values.release();
      ended(RpcException.of(e));
      if (advanceWhenRead) {
        // It finds the failure, and comes to its end.
        engine.execute(this::advance);
      }
      return;
    }
    var unused =
        read.whenComplete(
            (nothing, thrown) -> {
              if (thrown == null) {
                engine.execute(() -> send(values));
              } else if (sender.terms() != terms && readsLeft > 1) {
                engine.execute(() -> read(values, readsLeft - 1, advanceWhenRead));
                return;
              } else {
                values.release();
                ended(RpcException.of(thrown));
              }
              if (advanceWhenRead) {
                engine.execute(this::advance);
              }
            });
  }

  private void send(StripeValues values) {
    try {
      if (range.data() == null) {
        values.overlayZeros();
      } else {
        long at = values.span().stripeStart() + values.span().fromBytes() - range.fromBytes();
        ByteBuffer data = range.data();
        int index = data.position() + (int) at;
        values.overlay(data.slice(index, data.limit() - index));
      }
      values.encode(code);
    } catch (RuntimeException e) {
      values.release();
      ended(RpcException.of(e));
      return;
    }
    var unused =
        sender
            .send(values)
            .whenComplete(
                (nothing, thrown) -> ended(thrown == null ? null : RpcException.of(thrown)));
  }

  private synchronized boolean hasFailed() {
    return failure != null;
  }

  private synchronized void note(RpcException problem) {
    failure = failure == null ? problem : failure;
  }

  /** One stripe, or the beginning of all of them, has come to its end. */
  private void ended(RpcException problem) {
    RpcException failed;
    synchronized (this) {
      if (problem != null) {
        note(problem);
      }
      if (--underWay > 0) {
        return;
      }
      failed = failure;
    }
    engine.execute(
        () -> {
          if (failed == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(failed);
          }
        });
  }
}
