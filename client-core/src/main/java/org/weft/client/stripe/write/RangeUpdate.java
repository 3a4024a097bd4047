package org.weft.client.stripe.write;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Gives new bytes to a range of a file, stripe by stripe, several at a time within the writer's
 * window (P 5.3). No stripe occurs twice in one range; of ranges under way at the same time {@link
 * StripeClaims} keeps the changes of one stripe in order.
 */
final class RangeUpdate {
  /**
   * What is to be done.
   *
   * @param fromBytes of the file; less than {@code toBytes}
   * @param data the new bytes; null for zeros
   * @param oldEndBytes bytes of the file from here on are zeros before the update
   * @param readableBytes length of the file for reads of its old bytes
   * @param establishes file length to establish at least, and whether the file is cut thereby
   * @param durable of stripes that are not written as a run: components have them on stable storage
   *     before they acknowledge them
   */
  record Range(
      long fromBytes,
      long toBytes,
      NewBytes data,
      long oldEndBytes,
      long readableBytes,
      StripeValues.Establishes establishes,
      boolean durable) {}

  private final StripeChange.Writer writer;
  private final Layout layout;
  private final Range range;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  // Touched by one step at a time; steps follow each other.
  private long nextBytes;

  private final AtomicInteger underWay = new AtomicInteger(1);
  private final AtomicLong reachedBytes = new AtomicLong();
  private final AtomicReference<WeftException> failure = new AtomicReference<>();

  // Guarded by the monitor.
  private WriteTerms readTerms;
  private StripeReader reader;

  RangeUpdate(StripeChange.Writer writer, Range range) {
    this.writer = writer;
    this.layout = writer.sender().terms().file().layout();
    this.range = range;
    this.nextBytes = range.fromBytes();
  }

  /**
   * Completes when every component has acknowledged everything and no thread looks at the data. If
   * it fails, some stripes may have been written and others not; none is half written unless the
   * sender has failed.
   */
  CompletableFuture<Void> start() {
    advance();
    return done;
  }

  /** How far the file reaches with the stripes that have been written; 0 if none has. */
  long reachedBytes() {
    return reachedBytes.get();
  }

  private void advance() {
    try {
      if (!beginSome()) {
        return;
      }
    } catch (RuntimeException | Error e) {
      note(WeftException.of(e));
    }
    ended(null);
  }

  /** True if nothing more is to be begun, false if it goes on later. */
  private boolean beginSome() {
    while (nextBytes < range.toBytes() && failure.get() == null) {
      StripeRoom.Answer answer = writer.room().takeOrWait(this::advance);
      if (answer == StripeRoom.Answer.NONE) {
        return false;
      }
      if (answer == StripeRoom.Answer.ENDED) {
        note(whyEnded(writer.sender()));
        break;
      }
      int stripes = roomForRun();
      if (stripes > 1) {
        beginRun(stripes);
        continue;
      }
      StripeSpan span = StripeSpan.first(layout, nextBytes, range.toBytes());
      nextBytes = span.endInFile();
      // While the first unit may have to be read from a copy, nothing may grow the file.
      boolean alone = span.stripe() == 0 && layout.isSmall(range.readableBytes());
      begin(span, alone);
      if (alone) {
        return false;
      }
    }
    return true;
  }

  /**
   * Takes room for the other stripes of a run, beside the first one's, which is there.
   *
   * @return how many stripes it has; 1 or less: a stripe by itself
   */
  private int roomForRun() {
    // Old bytes of a small file may be read from a copy; zeros are made stripe by stripe.
    boolean alone = nextBytes < layout.stripeBytes() && layout.isSmall(range.readableBytes());
    if (alone || range.data() == null) {
      return 1;
    }
    int most = RunChange.longest(writer, layout, nextBytes, range.toBytes());
    int stripes = 1;
    while (stripes < most && writer.room().take() == StripeRoom.Answer.TAKEN) {
      stripes++;
    }
    return stripes;
  }

  private void beginRun(int stripes) {
    RunChange change = new RunChange(writer, range, nextBytes, stripes);
    nextBytes = change.endInFile();
    underWay.incrementAndGet();
    watch(change.start(), change.endInFile());
  }

  /** Why nothing is written any more. */
  static WeftException whyEnded(FileWriteService sender) {
    WeftException why = sender.failure();
    return why == null
        ? new WeftException(ErrorCode.CANCELLED, "the file was given up by its writer")
        : why;
  }

  private void begin(StripeSpan span, boolean advanceWhenRead) {
    Runnable whenRead = advanceWhenRead ? () -> writer.context().execute(this::advance) : () -> {};
    StripeChange change = new StripeChange(writer, range, span, this::readerUnder, whenRead);
    underWay.incrementAndGet();
    watch(change.start(), span.endInFile());
  }

  private void watch(CompletableFuture<Void> change, long endInFile) {
    var unused =
        change.whenComplete(
            (nothing, thrown) -> {
              if (thrown == null) {
                reachedBytes.accumulateAndGet(endInFile, Math::max);
              }
              ended(thrown == null ? null : WeftException.of(thrown));
            });
  }

  private synchronized StripeReader readerUnder(WriteTerms terms) {
    if (terms != readTerms) {
      readTerms = terms;
      reader =
          new StripeReader(
              writer.context(), terms.file(), range.readableBytes(), false, writer.listener());
    }
    return reader;
  }

  /** The first failure is the one that is told. */
  private void note(WeftException problem) {
    failure.compareAndSet(null, problem);
  }

  /** Says so where other stripes were written, and the writing goes on. */
  private WeftException told(WeftException problem) {
    boolean goesOn = problem.code() == ErrorCode.NO_SPACE && !writer.sender().hasFailed();
    return reachedBytes() == 0 || !goesOn
        ? problem
        : new WeftException(
            problem.code(),
            problem.getMessage() + "; other stripes of this write were written",
            problem);
  }

  /** One stripe, or the beginning of all of them, has come to its end. */
  private void ended(WeftException problem) {
    if (problem != null) {
      note(problem);
    }
    if (underWay.decrementAndGet() > 0) {
      return;
    }
    WeftException failed = failure.get();
    if (failed == null) {
      // Perhaps on an event loop, where nothing of what follows belongs.
      writer.context().executeElsewhere(() -> done.complete(null));
    } else {
      WeftException told = told(failed);
      writer.context().execute(() -> done.completeExceptionally(told));
    }
  }
}
