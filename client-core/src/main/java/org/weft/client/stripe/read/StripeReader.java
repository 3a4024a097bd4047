package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Payload;

/**
 * Reads a file at any position (DESIGN 5). Every block is checked, and what was never written reads
 * as zeros. A unit that is missing, absent, out of reach or damaged is decoded from the others. A
 * reader gives out right bytes or fails.
 *
 * <p>Thread-safe; any number of reads may be under way. Their futures complete on the engine's
 * executor. Small reads for clients, and those that copy nothing, complete on an event loop. What
 * hangs on them must be short and must not block. They fail with TOO_MANY_LOST if more units of a
 * stripe are lost than the code bears, naming the OSDs. FENCED, CAPABILITY_EXPIRED or
 * CAPABILITY_INVALID mean that the grant has ended. GRANT_REVOKED means that the file has been cut
 * since it was opened (P 4.3): open it again. BUSY means that a part that must be decoded does not
 * come to rest under its writer (P 5.6). BAD_CHECKSUM means that parity is verified and contradicts
 * the data.
 */
public final class StripeReader {
  private final StripeContext context;
  private final StripedFile file;
  private final Layout layout;
  private final long sizeBytes;
  private final boolean beingWritten;
  private final boolean mayUseEventLoop;
  private final int truncationNumber;
  private final FailureMemory memory;
  private final PiecePlanner planner;

  /** Of a file that is not cut meanwhile; futures complete on the engine's executor alone. */
  public StripeReader(
      StripeContext context,
      StripedFile file,
      long sizeBytes,
      boolean beingWritten,
      FailureListener listener) {
    this(context, file, sizeBytes, beingWritten, false, Integer.MAX_VALUE, false, listener);
  }

  public StripeReader(
      StripeContext context,
      StripedFile file,
      long sizeBytes,
      boolean beingWritten,
      boolean mayUseEventLoop,
      int truncationNumber,
      boolean verifyParity,
      FailureListener listener) {
    this.context = context;
    this.file = file;
    this.layout = file.layout();
    this.sizeBytes = sizeBytes;
    this.beingWritten = beingWritten;
    this.mayUseEventLoop = mayUseEventLoop;
    this.truncationNumber = truncationNumber;
    this.memory = new FailureMemory(context, file, listener);
    ErasureCode code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.planner =
        new PiecePlanner(context, file, code, sizeBytes, beingWritten, verifyParity, memory);
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  /**
   * Fills the buffer from that offset of the file, as far as the file reaches. The buffer belongs
   * to the read until the future is done; then its position has moved by the count.
   *
   * @return how many bytes were read: all that the buffer had room for, or up to the end of the
   *     file. It is -1 at or behind the end
   */
  public CompletableFuture<Integer> read(long offsetBytes, ByteBuffer target) {
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("the buffer to read into is read-only");
    }
    return read(offsetBytes, new LentBuffer(target))
        .thenApply(
            count -> {
              target.position(target.position() + Math.max(0, count));
              return count;
            });
  }

  /**
   * The same for a caller that may take its buffer back before the future is done, which fails with
   * CANCELLED then.
   */
  public CompletableFuture<Integer> read(long offsetBytes, LentBuffer target) {
    if (offsetBytes < 0) {
      throw new IllegalArgumentException("an offset cannot be negative: " + offsetBytes);
    }
    int count = (int) Math.max(0, Math.min(target.lengthBytes(), sizeBytes - offsetBytes));
    if (count == 0) {
      return CompletableFuture.completedFuture(target.lengthBytes() > 0 ? -1 : 0);
    }
    return read(offsetBytes, ReadTarget.of(target, count)).thenApply(nothing -> count);
  }

  /**
   * Reads from that offset of the file, as far as the file reaches. It gives the bytes where they
   * lie: in the memory that they came in, or where they were put together. Nothing is copied of
   * what comes whole.
   *
   * @return to be released by the caller; empty at or behind the end
   */
  public CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes) {
    if (offsetBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "%d bytes at %d cannot be read".formatted(lengthBytes, offsetBytes));
    }
    int count = (int) Math.max(0, Math.min(lengthBytes, sizeBytes - offsetBytes));
    if (count == 0) {
      return CompletableFuture.completedFuture(Payload.EMPTY);
    }
    FetchedBytes target = FetchedBytes.unreserved(count, context.pool());
    CompletableFuture<Void> fetched = new CompletableFuture<>();
    try {
      read(offsetBytes, target, fetched);
    } catch (RuntimeException | Error e) {
      fetched.completeExceptionally(e);
    }
    return fetched
        .whenComplete(
            (nothing, thrown) -> {
              if (thrown != null) {
                target.giveBack();
              }
            })
        .thenApply(nothing -> target.payload());
  }

  private CompletableFuture<Void> read(long offsetBytes, ReadTarget target) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    read(offsetBytes, target, result);
    return result;
  }

  /**
   * Fills the target from that offset of the file, which reaches as far.
   *
   * @param result completes when no thread writes to the target any more; if this throws, none does
   */
  void read(long offsetBytes, ReadTarget target, CompletableFuture<Void> result) {
    new Slices(offsetBytes, target, result).startSome();
  }

  /** Reads the file from a position on, ahead of its caller. */
  public StripeStream stream(long positionBytes) {
    return stream(positionBytes, ExpectedPattern.ADAPTIVE, Long.MAX_VALUE);
  }

  /**
   * The same for a reader of which something is known.
   *
   * @param likelyEndBytes nothing behind it is fetched before it is asked for
   */
  public StripeStream stream(long positionBytes, ExpectedPattern expected, long likelyEndBytes) {
    return new StripeStream(context, this, positionBytes, expected, likelyEndBytes);
  }

  /** Bytes of one stripe: reads of whole stripes are the cheapest. */
  long stripeBytes() {
    return layout.stripeBytes();
  }

  /** A read cut at stripes into slices, of which a few are under way at a time. */
  private final class Slices {
    private final long startBytes;
    private final ReadTarget target;
    private final long sliceBytes;
    private final CompletableFuture<Void> result;
    private int doneBytes;
    private int underWay;
    private WeftException failure;

    Slices(long startBytes, ReadTarget target, CompletableFuture<Void> result) {
      this.startBytes = startBytes;
      this.target = target;
      this.result = result;
      long stripes = Math.max(1, context.options().sliceBytes() / layout.stripeBytes());
      this.sliceBytes = stripes * layout.stripeBytes();
    }

    void startSome() {
      while (true) {
        int from;
        int to;
        synchronized (this) {
          boolean more = doneBytes < target.lengthBytes() && failure == null;
          if (!more || underWay == context.options().slicesInFlight()) {
            return;
          }
          from = doneBytes;
          long sliceEnd = ((startBytes + from) / sliceBytes + 1) * sliceBytes;
          to = (int) Math.min(target.lengthBytes(), sliceEnd - startBytes);
          doneBytes = to;
          underWay++;
        }
        begin(from, to);
      }
    }

    /**
     * Want of memory ends this read as any failure does. What runs at a slice's end is there before
     * the slice begins: nothing that can fail comes after.
     */
    private void begin(int from, int to) {
      SliceRead slice;
      try {
        slice = slice(from, to);
      } catch (RuntimeException | Error e) {
        ended(e);
        return;
      }
      slice.start();
    }

    private SliceRead slice(int from, int to) {
      List<StripePiece> pieces = new ArrayList<>();
      int at = from;
      while (at < to) {
        long offset = startBytes + at;
        int inStripe = (int) (offset % layout.stripeBytes());
        int end = (int) Math.min(to, at + layout.stripeBytes() - inStripe);
        pieces.add(
            new StripePiece(layout, layout.stripeOf(offset), inStripe, target, at, end - at));
        at = end;
      }
      return new SliceRead(
          context,
          file,
          planner,
          memory,
          beingWritten,
          mayUseEventLoop,
          truncationNumber,
          target,
          pieces,
          this::ended);
    }

    /** The target is the caller's again only when no slice writes to it any more. */
    private void ended(Throwable thrown) {
      boolean last;
      WeftException failed;
      synchronized (this) {
        underWay--;
        if (thrown != null && failure == null) {
          failure = WeftException.of(thrown);
        }
        failed = failure;
        last = underWay == 0 && (failed != null || doneBytes == target.lengthBytes());
      }
      if (!last) {
        startSome();
      } else if (failed == null) {
        result.complete(null);
      } else {
        result.completeExceptionally(failed);
      }
    }
  }
}
