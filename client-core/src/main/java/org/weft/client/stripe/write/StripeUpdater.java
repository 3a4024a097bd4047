package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.commit.OwnRead;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Changes a file at any positions, under a grant that excludes all other writers (P 4.2, 4.3, 5.3).
 *
 * <p>A call is complete when every component that the map calls present has acknowledged it. What
 * stays of a stripe is read first, verified, and decoded where a component is lost. When components
 * are lost meanwhile, the writing goes on without them as soon as the manager agrees (P 5.8). This
 * class does not publish the length: other clients see it when the manager knows it.
 *
 * <p>What is durable when: once a call is complete, its bytes are in the kernels of all components
 * that the map calls present. They survive the death of this process, of any OSD's process, and of
 * as many OSDs as the code bears. After {@link #makeDurable} they are on their media as well. While
 * a change is under way, every component that has it keeps what undoes it, or what it would change
 * elsewhere (P 5.4). If the writer dies, each stripe is found changed or unchanged, never half (P
 * 5.5). They keep it until they hear that the change is complete: with the next request to them, or
 * soon after the last one.
 *
 * <p>Calls come one after another, except writes that end within the file. The next one comes when
 * the last one's future is done, from whatever thread. {@link #abandon} may come at any time. A
 * write for which an OSD has no room fails alone, undone everywhere. After any other failure every
 * call fails with it, and the file is to be closed as abandoned: a stripe may be half written.
 */
public final class StripeUpdater {
  private final StripeContext context;
  private final FileWriteService sender;
  private final FailureListener listener;
  private final Layout layout;
  private final StripeRoom room;
  private final StripeChange.Writer writer;

  private final AtomicReference<Length> length;

  /**
   * How long a file is, complete writes included.
   *
   * @param cuts how often it was cut before it had that length: its truncation number
   */
  public record Length(long sizeBytes, int cuts) {
    Length atLeast(long bytes) {
      return bytes <= sizeBytes ? this : new Length(bytes, cuts);
    }
  }

  /** What may be under way beside a call. */
  private enum Company {
    NONE,
    /** Writes within the file, and what only asks for stable storage. */
    WRITES,
    ALL
  }

  // Guarded by the monitor.
  private boolean alone;
  private int sharing;

  /**
   * An updater of a file that is at rest.
   *
   * @param sender of this updater alone
   */
  public StripeUpdater(
      StripeContext context, FileWriteService sender, long sizeBytes, FailureListener listener) {
    this.context = context;
    this.sender = sender;
    this.listener = listener;
    this.layout = sender.terms().file().layout();
    this.room = new StripeRoom(context, (long) layout.width() * layout.unitBytes());
    this.writer =
        new StripeChange.Writer(
            context,
            sender,
            room,
            new StripeClaims(context),
            new ErasureCode(layout.dataUnits(), layout.parityUnits()),
            listener);
    int cuts = sender.terms().grant().truncationNumber();
    this.length = new AtomicReference<>(new Length(sizeBytes, cuts));
  }

  /** Length of the file, complete writes included. */
  public long sizeBytes() {
    return length().sizeBytes();
  }

  /** The same, and of which cut it is. */
  public Length length() {
    return length.get();
  }

  /** False once a failure has ended the writing. */
  public boolean isWritable() {
    return !sender.hasFailed();
  }

  /** Under which grant the file is written now. */
  public WriteTerms terms() {
    return sender.terms();
  }

  /** Every write of that grant up to here is complete on all components. */
  public CompletePoint complete() {
    return sender.complete();
  }

  /**
   * Writes the buffer's remaining bytes; behind the end of the file the gap reads as zeros. The
   * buffer belongs to the call until the future is done.
   *
   * <p>Writes may be under way at the same time. Where two that end within the file overlap, either
   * may come last. No other write touches a stripe that is touched by a write which makes the file
   * longer. A file that is small grows by one write alone.
   *
   * <p>Fails with NO_SPACE if an OSD has no room for a part of it. That stripe is then as it was,
   * others may be written, and the file can be written on.
   *
   * @throws IllegalStateException if another call is under way
   */
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    return write(positionBytes, List.of(data));
  }

  /**
   * The same of bytes that lie in several buffers, one behind the other; each but the first begins
   * where a stripe does.
   */
  public CompletableFuture<Void> write(long positionBytes, List<ByteBuffer> buffers) {
    return write(positionBytes, buffers, false);
  }

  /**
   * The same.
   *
   * @param durable each component has its part on stable storage before it acknowledges it, so that
   *     {@link #makeDurable} finds nothing left to do; for a few bytes. Whole stripes that go as a
   *     run wait for that all the same
   */
  public CompletableFuture<Void> write(
      long positionBytes, List<ByteBuffer> buffers, boolean durable) {
    if (positionBytes < 0) {
      throw new IllegalArgumentException("a position cannot be negative: " + positionBytes);
    }
    long endBytes = Math.addExact(positionBytes, NewBytes.lengthBytes(buffers));
    List<ByteBuffer> data = buffers.stream().map(ByteBuffer::slice).toList();
    Supplier<CompletableFuture<Void>> change =
        () ->
            endBytes > positionBytes
                ? update(
                        positionBytes,
                        endBytes,
                        new NewBytes(positionBytes, data),
                        sizeBytes(),
                        durable)
                    .thenRun(() -> buffers.forEach(each -> each.position(each.limit())))
                : CompletableFuture.completedFuture(null);
    return call(change, Company.WRITES, true);
  }

  /**
   * Lets the file read as zeros up to a length: makes the components that it must have. The manager
   * is told afterwards.
   */
  public CompletableFuture<Void> extend(long newSizeBytes) {
    return call(
        () ->
            newSizeBytes <= sizeBytes()
                ? CompletableFuture.completedFuture(null)
                : sender
                    .send(new EmptyWrite(layout, newSizeBytes))
                    .thenRun(() -> grow(newSizeBytes)));
  }

  /**
   * Cuts the file, after the manager has journalled it. It makes zeros of the rest of the last
   * stripe, then lets the components give back what lies behind (P 4.3). Afterwards the manager is
   * told that nothing is left to do. So all of it is on stable storage when this completes. No
   * component falls back behind a cut that no client would make again (P 5.9).
   *
   * @param truncationNumber that the manager gave this cut
   */
  public CompletableFuture<Void> cut(long newSizeBytes, int truncationNumber) {
    return call(
        () -> {
          long before = sizeBytes();
          List<Integer> components = IntStream.range(0, componentsOf(before)).boxed().toList();
          return cut(newSizeBytes, truncationNumber, before, components);
        });
  }

  /**
   * Ends a cut that another client began and did not finish: as {@link #cut}, for a file whose
   * length before the cut is not known. To be called before anything else.
   */
  public CompletableFuture<Void> finishCut(long newSizeBytes, int truncationNumber) {
    // The file was that long once: what must exist by that is lost where it is not there.
    sender.grown(newSizeBytes);
    return call(
        () ->
            ComponentProbe.present(context, sender.terms().file())
                .thenCompose(
                    present -> {
                      TreeSet<Integer> components = new TreeSet<>(present);
                      for (int c = 0; c < componentsOf(newSizeBytes); c++) {
                        components.add(c);
                      }
                      return cut(
                          newSizeBytes,
                          truncationNumber,
                          Long.MAX_VALUE,
                          new ArrayList<>(components));
                    }));
  }

  /** Components that a file of that length must have (P 4.2). */
  private int componentsOf(long fileBytes) {
    if (layout.isSmall(fileBytes)) {
      return fileBytes > 0 ? layout.parityUnits() + 1 : 0;
    }
    return layout.groupsTouched(fileBytes) * layout.width();
  }

  private CompletableFuture<Void> cut(
      long newSizeBytes, int truncationNumber, long oldSizeBytes, List<Integer> components) {
    return makeZeros(newSizeBytes, truncationNumber, oldSizeBytes)
        .thenCompose(
            nothing -> {
              // Not earlier: a component that knows of the cut is believed to have made it. With
              // zeros to write, they have said so.
              sender.truncated(truncationNumber, newSizeBytes);
              return sender.submit(new CutOrder(context.osds(), layout, newSizeBytes, components));
            })
        .thenCompose(nothing -> sender.makeDurable())
        .thenRun(() -> length.set(new Length(newSizeBytes, truncationNumber)));
  }

  /** What is cut off of the last stripe. */
  private CompletableFuture<Void> makeZeros(
      long newSizeBytes, int truncationNumber, long oldSizeBytes) {
    long inLastStripe = newSizeBytes % layout.stripeBytes();
    long stripeEnd = newSizeBytes - inLastStripe + layout.stripeBytes();
    long to = Math.min(stripeEnd, oldSizeBytes);
    if (inLastStripe == 0 || to <= newSizeBytes) {
      return CompletableFuture.completedFuture(null);
    }
    // Of a file that becomes small a copy may be read, if it knows of nothing beyond its unit.
    long readable = layout.isSmall(newSizeBytes) ? newSizeBytes : to;
    return update(
        new RangeUpdate.Range(
            newSizeBytes,
            to,
            null,
            newSizeBytes,
            readable,
            new StripeValues.Establishes(newSizeBytes, OptionalInt.of(truncationNumber)),
            false));
  }

  /** Makes zeros of a range, as far as the file reaches, and gives its space back. */
  public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    if (positionBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "a range cannot be negative: " + lengthBytes + " bytes at " + positionBytes);
    }
    return call(
        () -> {
          long size = sizeBytes();
          long to = lengthBytes > size - positionBytes ? size : positionBytes + lengthBytes;
          if (positionBytes >= to) {
            return CompletableFuture.completedFuture(null);
          }
          SortedMap<Integer, List<PunchedBlocks.Extent>> extents =
              PunchedBlocks.of(layout, positionBytes, to, size);
          return update(positionBytes, to, null, size, false)
              .thenCompose(nothing -> sender.submit(new PunchOrder(context.osds(), extents)));
        });
  }

  /** Completes when everything that is complete is on stable storage. */
  public CompletableFuture<Void> makeDurable() {
    return call(sender::makeDurable, Company.ALL, false);
  }

  /**
   * Reads what is complete, as far as the file reaches, where no call writes meanwhile. Writes
   * elsewhere may be under way, as long as the file is not small. The buffer belongs to the call
   * until the future is done. A failure does not end the writing. Where the grant has ended
   * together with another's, the manager is asked for one in its place.
   *
   * @return how many bytes were read; -1 at or behind the end
   */
  public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    AtomicInteger count = new AtomicInteger();
    return OwnRead.of(
            context,
            sender,
            terms ->
                new StripeReader(context, terms.file(), sizeBytes(), false, listener)
                    .read(positionBytes, target)
                    .thenAccept(count::set))
        .thenApply(nothing -> count.get());
  }

  /** Of a file so short copies of its beginning may be read. */
  public boolean isSmall() {
    return layout.isSmall(sizeBytes());
  }

  /**
   * Others may have written to the file, which is that long at least, or have cut it (P 6.5). No
   * write of this client is under way if they have.
   *
   * @param cuts how often it was cut by now
   */
  public void found(long sizeBytes, int cuts) {
    if (cuts > length().cuts()) {
      sender.cutByOther(cuts, sizeBytes);
      length.set(new Length(sizeBytes, cuts));
    } else {
      sender.grown(sizeBytes);
      grow(sizeBytes);
    }
  }

  /** The manager has given another grant in place of the one in force; no call is under way. */
  public void goOnUnder(WriteTerms next) {
    sender.goOnUnder(next);
  }

  /** Components that have not heard of it are told that everything is complete (P 5.4). */
  public void tellCompletion() {
    sender.tellCompletion();
  }

  /** The grant has ended together with another's: the manager is asked for one in its place. */
  public void renewGrant(WeftException why) {
    sender.renew(sender.terms(), why);
  }

  /** Nothing is written any more: components are told what is complete. */
  public void close() {
    sender.tellCompletionAtClose();
  }

  /** Gives the file up: nothing more is sent. */
  public void abandon() {
    fail(new WeftException(ErrorCode.CANCELLED, "the file was given up by its writer"));
  }

  /**
   * Goes on as a stream from the end of the file, under the same grant; this updater is not to be
   * used any more.
   */
  public CompletableFuture<StripeWriter> appender() {
    return StripeWriter.append(context, sender, sizeBytes(), listener);
  }

  private CompletableFuture<Void> update(
      long fromBytes, long toBytes, NewBytes data, long sizeBefore, boolean durable) {
    RangeUpdate update =
        new RangeUpdate(
            writer,
            new RangeUpdate.Range(
                fromBytes,
                toBytes,
                data,
                sizeBefore,
                sizeBefore,
                new StripeValues.Establishes(sizeBefore, OptionalInt.empty()),
                durable));
    // Of a write that fails some stripes may be there: the file is as long as they make it.
    return update.start().whenComplete((nothing, thrown) -> grow(update.reachedBytes()));
  }

  private CompletableFuture<Void> update(RangeUpdate.Range range) {
    return new RangeUpdate(writer, range).start();
  }

  private void grow(long atLeastBytes) {
    length.updateAndGet(known -> known.atLeast(atLeastBytes));
  }

  /** Alone; when it is over, the grant is not about to change. A failure ends the writing. */
  private CompletableFuture<Void> call(Supplier<CompletableFuture<Void>> change) {
    return call(change, Company.NONE, false);
  }

  /**
   * Makes a call.
   *
   * @param mayFailAlone want of room on an OSD does not end the writing: no stripe is half written
   *     then
   */
  private CompletableFuture<Void> call(
      Supplier<CompletableFuture<Void>> change, Company company, boolean mayFailAlone) {
    synchronized (this) {
      boolean besideThis = company == Company.ALL || !alone;
      if (!besideThis || company == Company.NONE && sharing > 0) {
        throw new IllegalStateException("a call on this file is still under way");
      }
      WeftException over = sender.failure();
      if (over != null) {
        return CompletableFuture.failedFuture(over);
      }
      alone |= company == Company.NONE;
      sharing += company == Company.WRITES ? 1 : 0;
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    CompletableFuture<Void> changed;
    try {
      changed = change.get();
    } catch (RuntimeException | Error e) {
      changed = CompletableFuture.failedFuture(e);
    }
    var unused =
        changed
            .handle((nothing, thrown) -> thrown)
            .thenCompose(thrown -> sender.quiet().thenApply(nothing -> thrown))
            .thenAccept(thrown -> finished(thrown, company, mayFailAlone, done));
    return done;
  }

  private void finished(
      Throwable thrown, Company company, boolean mayFailAlone, CompletableFuture<Void> done) {
    if (thrown != null && !(mayFailAlone && isAlone(thrown))) {
      fail(WeftException.of(thrown));
    }
    synchronized (this) {
      alone &= company != Company.NONE;
      sharing -= company == Company.WRITES ? 1 : 0;
    }
    if (thrown == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(WeftException.of(thrown));
    }
  }

  /** An OSD had no room for it; it was undone, and nothing else is the matter (P 5.4). */
  private boolean isAlone(Throwable thrown) {
    return WeftException.of(thrown).code() == ErrorCode.NO_SPACE && !sender.hasFailed();
  }

  private void fail(WeftException problem) {
    sender.fail(problem);
    var unused = room.end();
  }
}
