package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.weft.client.stripe.base.References;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/**
 * Gathers the small writes of one open file (P 5.3). A piece of a stripe is copied, over what was
 * gathered there before, and its write is over. Whole stripes, and pieces too long to be copied, go
 * straight through, behind what was gathered of the same stripes: see {@link DirectWrites}. Whole
 * stripes in memory that may be kept are gathered, too: they stay where they are until several go
 * together.
 *
 * <p>What is gathered is sent, stripe by stripe. A stripe is sent when it is full, and a kept one
 * when all of its run are. When more than half of the bound is gathered, the oldest stripe is sent
 * first. A stripe is also sent when it is old, when a caller settles the range, and before it is
 * given back to others. A write that finds no room is over when there is some: memory stays within
 * the bound, bookkeeping and what is being sent included.
 *
 * <p>Bytes leave the table only when their stripe may be written: until then other calls that want
 * the stripe find them there. One sending of a stripe at a time, so that the last write of a byte
 * is the one that stays. Several stripes are under way at once, each run by run; those that are not
 * full only where the target says so.
 *
 * <p>The first sending that fails ends it all: gathered bytes were lost. Thread-safe, never blocks,
 * and holds no lock while it calls the target.
 */
public final class WriteGathering {
  private static final int MAX_SENDINGS = 16;
  private static final int MAX_ERRORS = 3;
  private final GatherTarget target;
  private final GatherLimits limits;
  private final long stripeBytes;

  // Guarded by this; nothing is waited for while it is held.
  private final GatheredBytes gathered;
  private final List<Sending> underWay = new ArrayList<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final DirectWrites directs;
  private final List<Settling> settling = new ArrayList<>();
  private long sendingBytes;
  private boolean timed;
  private boolean advancing;
  private WeftException failure;

  public WriteGathering(GatherTarget target, GatherLimits limits, long stripeBytes) {
    this.target = target;
    this.limits = limits;
    this.stripeBytes = stripeBytes;
    this.gathered = new GatheredBytes(stripeBytes, limits.runBytes());
    this.directs = new DirectWrites(stripeBytes);
  }

  /** Pieces that wait for room. */
  private record Waiting(List<Piece> pieces, CompletableFuture<Void> done) {}

  /** A caller waits until nothing as old as that is left of a range. */
  private record Settling(ByteRange range, long upToNumber, CompletableFuture<Void> done) {}

  /**
   * Takes what remains in the buffer, which belongs to the call until the future is done. The
   * future is done at once if there is room and the bytes are no longer than a piece of a stripe.
   */
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    return write(positionBytes, data, Optional.empty());
  }

  /**
   * The same of a buffer whose bytes stay as they are until all holders of its memory have released
   * it. Whole stripes are kept there, and are over as soon as there is room for them.
   *
   * @param memory of this buffer and no other; has an owner until the future is done
   */
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data, References memory) {
    KeptMemory kept = new KeptMemory(memory, data.remaining(), gathered.kept());
    return write(positionBytes, data, Optional.of(kept));
  }

  private CompletableFuture<Void> write(
      long positionBytes, ByteBuffer data, Optional<KeptMemory> memory) {
    List<Piece> copied = new ArrayList<>();
    List<Piece> through = new ArrayList<>();
    ByteRange all = new ByteRange(positionBytes, positionBytes + data.remaining());
    new Piece(all, data.slice(), memory)
        .split(stripeBytes, limits.mostKeptBytes(stripeBytes))
        .forEach(each -> (isGathered(each) ? copied : through).add(each));
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    synchronized (this) {
      if (failure != null) {
        return CompletableFuture.failedFuture(again());
      }
      if (!copied.isEmpty() && (!waiting.isEmpty() || !takes(copied))) {
        waiting.add(new Waiting(copied, added(parts)));
      }
      for (Piece each : through) {
        gathered.dueWithin(each.range());
        directs.add(
            new DirectWrites.Direct(
                each.range(), each.data(), gathered.nextNumber(), added(parts)));
      }
    }
    advance();
    return all(parts).thenRun(() -> data.position(data.limit()));
  }

  private static CompletableFuture<Void> added(List<CompletableFuture<Void>> parts) {
    CompletableFuture<Void> part = new CompletableFuture<>();
    parts.add(part);
    return part;
  }

  private boolean isGathered(Piece piece) {
    ByteRange range = piece.range();
    boolean isLong = range.to() - range.from() > limits.longestPieceBytes();
    return piece.memory().isPresent() || (!isLong && !range.isAlignedTo(stripeBytes));
  }

  /** Copies or keeps the pieces if there is room for all of them. */
  private boolean takes(List<Piece> pieces) {
    long more = pieces.stream().mapToLong(this::growth).sum();
    long moreKept = pieces.stream().mapToLong(Piece::keptBytes).sum();
    // With all that is due gone there is room.
    if (gathered.heldBytes() + sendingBytes + more > limits.bytes()) {
      gathered.dueDownTo(Math.max(0, limits.bytes() - more));
      return false;
    }
    // What is not due is one run at most, and so is what comes.
    if (gathered.kept().bytes() + moreKept > limits.keptBytes()) {
      return false;
    }
    long now = target.nowNanos();
    pieces.forEach(each -> take(each, now));
    gathered.dueDownTo(limits.mostIdleBytes());
    gathered.keptDueDownTo(limits.runBytes());
    return true;
  }

  private long growth(Piece piece) {
    return piece.memory().isPresent()
        ? piece.lengthBytes()
            / stripeBytes
            * (GatheredRun.OVERHEAD_BYTES + GatheredStripe.OVERHEAD_BYTES)
        : gathered.growth(piece.range());
  }

  private void take(Piece piece, long nowNanos) {
    long from = piece.range().from();
    if (piece.memory().isEmpty()) {
      gathered.put(from, piece.data(), nowNanos);
      return;
    }
    for (int at = 0; at < piece.lengthBytes(); at += (int) stripeBytes) {
      ByteBuffer stripe = piece.data().slice(at, (int) stripeBytes);
      gathered.keep(from + at, stripe, piece.memory().get(), nowNanos);
    }
  }

  /** Behind the last byte that was gathered and is not written yet; 0 if all is. */
  public synchronized long endBytes() {
    return underWay.stream()
        .filter(each -> !each.taken().isEmpty())
        .mapToLong(each -> each.named().to())
        .reduce(gathered.endBytes(), Math::max);
  }

  /** False once gathered bytes were lost. */
  public synchronized boolean isSound() {
    return failure == null;
  }

  /** What it costs now, as the limits count it; for tests. */
  synchronized long heldBytes() {
    return gathered.heldBytes() + sendingBytes;
  }

  /** What is kept in memory of others now; for tests. */
  synchronized long keptBytes() {
    return gathered.kept().bytes();
  }

  /**
   * Completes when everything of the range that was taken before is written; fails if something
   * that was gathered was not.
   */
  public CompletableFuture<Void> settle(ByteRange range) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    synchronized (this) {
      if (failure != null) {
        return CompletableFuture.failedFuture(again());
      }
      gathered.dueWithin(range);
      settling.add(new Settling(range, gathered.lastNumber(), done));
    }
    advance();
    return done;
  }

  /**
   * Writes what is gathered of ranges that are about to be given back, and may be written until the
   * future is done. It waits for no range (P 6.5). The ranges are not given back again before that.
   *
   * @param mayGo of a stripe's bytes; the rest stays, and is sent when the stripe may be written
   *     again
   */
  public CompletableFuture<Void> sendNow(ByteRanges owned, Predicate<ByteRange> mayGo) {
    List<Sending> sendings = new ArrayList<>();
    synchronized (this) {
      if (failure != null) {
        return CompletableFuture.failedFuture(again());
      }
      for (ByteRange range : owned.list()) {
        Predicate<GatheredStripe> goes =
            each -> range.contains(each.stripe()) && mayGo.test(each.hull());
        for (List<GatheredStripe> together : gathered.together(range, goes)) {
          Sending sending = Sending.of(together);
          underWay.add(sending);
          take(sending);
          sendings.add(sending);
        }
      }
    }
    CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
    for (Sending each : sendings) {
      // After a failure nothing more is written, but each of them ends.
      sent =
          sent.handle((nothing, thrown) -> thrown)
              .thenCompose(thrown -> watched(each, () -> writeTaken(each)));
    }
    return sent;
  }

  /** Nothing more is sent, and what is gathered is forgotten. */
  public void end() {
    synchronized (this) {
      if (failure == null) {
        failure = new WeftException(ErrorCode.CANCELLED, "the file was given up by its writer");
      }
      gathered.clear();
    }
    advance();
  }

  private synchronized WeftException again() {
    return new WeftException(failure.code(), failure.getMessage(), failure);
  }

  /** Does what can be done now; what is over at once does not begin the next within itself. */
  private void advance() {
    synchronized (this) {
      if (advancing) {
        return;
      }
      advancing = true;
    }
    Runnable step = () -> {};
    try {
      for (int errors = 0; step != null && errors < MAX_ERRORS; ) {
        try {
          step.run();
          step = next();
        } catch (RuntimeException | Error e) {
          // As for want of memory. Callers that wait are told: nothing else would end their wait.
          errors++;
          step = () -> {};
          fail(WeftException.of(e));
        }
      }
    } finally {
      synchronized (this) {
        advancing &= step == null;
      }
    }
  }

  private void fail(WeftException why) {
    synchronized (this) {
      failure = failure == null ? why : failure;
    }
    target.failed(why);
  }

  /** Something to do; null if there is nothing now. */
  private synchronized Runnable next() {
    Runnable next = failure != null ? nextToFail() : nextWhileSound();
    advancing = next != null;
    return next;
  }

  private Runnable nextWhileSound() {
    Runnable next = nextToTell();
    if (next == null) {
      next = nextToSend();
    }
    return next == null ? nextToTime() : next;
  }

  private Runnable nextToFail() {
    List<CompletableFuture<Void>> failing = new ArrayList<>();
    waiting.forEach(each -> failing.add(each.done()));
    failing.addAll(directs.clear());
    settling.forEach(each -> failing.add(each.done()));
    waiting.clear();
    settling.clear();
    WeftException why = again();
    return failing.isEmpty()
        ? null
        : () -> failing.forEach(each -> each.completeExceptionally(why));
  }

  private Runnable nextToTell() {
    Optional<Settling> settled = settling.stream().filter(this::isSettled).findFirst();
    if (settled.isPresent()) {
      settling.remove(settled.get());
      return () -> settled.get().done().complete(null);
    }
    Waiting first = waiting.peek();
    if (first != null && takes(first.pieces())) {
      waiting.remove();
      return () -> first.done().complete(null);
    }
    return null;
  }

  private boolean isSettled(Settling of) {
    return !gathered.hasDue(of.range(), of.upToNumber())
        && underWay.stream().noneMatch(each -> each.isOf(of.range(), of.upToNumber()))
        && !directs.has(of.range(), of.upToNumber());
  }

  private Runnable nextToSend() {
    if (underWay.size() >= MAX_SENDINGS) {
      return null;
    }
    List<ByteRange> wholes =
        underWay.stream().filter(Sending::isWhole).map(Sending::stripes).toList();
    Optional<DirectWrites.Batch> batch = directs.next(this::mayGo, wholes);
    if (batch.isPresent()) {
      ByteRange stripes = stripesOf(batch.get().range());
      Sending sending = new Sending(stripes, batch.get().number(), true);
      underWay.add(sending);
      return () -> send(sending, batch.get());
    }
    List<GatheredStripe> due = gathered.nextDue(this::mayGo);
    if (due.isEmpty()) {
      return null;
    }
    GatheredStripe first = due.get(0);
    GatheredStripe last = due.get(due.size() - 1);
    Sending sending = Sending.of(due);
    ByteRange hull = new ByteRange(first.hull().from(), last.hull().to());
    underWay.add(sending);
    return () -> send(sending, hull);
  }

  private ByteRange stripesOf(ByteRange range) {
    return range.alignedTo(stripeBytes);
  }

  private boolean mayGo(DirectWrites.Direct direct) {
    ByteRange stripes = stripesOf(direct.range());
    return isFree(stripes) && !gathered.hasDue(stripes, direct.number());
  }

  private boolean mayGo(GatheredStripe stripe) {
    return isFree(stripe.stripe())
        && !directs.has(stripe.stripe(), stripe.number())
        && (stripe.isFull()
            || target.writesSideBySide()
            || underWay.stream().allMatch(Sending::isWhole));
  }

  /** Nothing is under way there. */
  private boolean isFree(ByteRange stripes) {
    return underWay.stream().noneMatch(each -> each.stripes().overlaps(stripes));
  }

  private void send(Sending sending, DirectWrites.Batch batch) {
    ByteRange range = batch.range();
    var unused =
        begun(() -> target.enter(range, () -> target.write(range, batch.data())))
            .whenComplete(
                (nothing, thrown) -> {
                  // Its writers are told, and nothing that was gathered is lost.
                  over(sending, null);
                  batch.over(thrown);
                });
  }

  private void send(Sending sending, ByteRange hull) {
    var unused =
        watched(
            sending,
            () ->
                target.enter(
                    hull,
                    () -> {
                      synchronized (this) {
                        take(sending);
                      }
                      return writeTaken(sending);
                    }));
  }

  /** Its stripes may be written now: what is there of them, if others did not come first. */
  private void take(Sending sending) {
    for (long from = sending.stripes().from(); from < sending.stripes().to(); from += stripeBytes) {
      gathered
          .take(from)
          .ifPresent(
              taken -> {
                sending.taken().add(taken);
                sendingBytes += taken.heldBytes();
              });
    }
  }

  /** One run after another: the file beneath has no bound on how many are under way. */
  private CompletableFuture<Void> writeTaken(Sending sending) {
    CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
    for (List<GatheredRun> together : sending.together(stripeBytes)) {
      written = written.thenCompose(nothing -> write(together));
    }
    return written;
  }

  private CompletableFuture<Void> write(List<GatheredRun> runs) {
    if (!isSound()) {
      return CompletableFuture.failedFuture(again());
    }
    ByteRange range = new ByteRange(runs.get(0).from(), runs.get(runs.size() - 1).to());
    return target.write(range, runs.stream().map(GatheredRun::data).toList());
  }

  private CompletableFuture<Void> watched(
      Sending sending, Supplier<CompletableFuture<Void>> writes) {
    return begun(writes).whenComplete((nothing, thrown) -> over(sending, thrown));
  }

  private static CompletableFuture<Void> begun(Supplier<CompletableFuture<Void>> call) {
    try {
      return call.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<Void> all(List<CompletableFuture<Void>> parts) {
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
  }

  private void over(Sending sending, Throwable thrown) {
    WeftException lost = null;
    synchronized (this) {
      underWay.remove(sending);
      if (thrown != null && failure == null) {
        failure = sending.lost(WeftException.of(thrown));
        lost = failure;
        gathered.clear();
      }
      for (GatheredStripe each : sending.taken()) {
        sendingBytes -= each.heldBytes();
        each.forget();
      }
    }
    if (lost != null) {
      target.failed(lost);
    }
    advance();
  }

  private Runnable nextToTime() {
    Optional<GatheredStripe> oldest = gathered.oldestIdle();
    if (timed || oldest.isEmpty()) {
      return null;
    }
    timed = true;
    long atNanos = oldest.get().sinceNanos() + limits.ageNanos();
    return () -> target.later(Math.max(0, atNanos - target.nowNanos()), this::aged);
  }

  private void aged() {
    long now = target.nowNanos();
    synchronized (this) {
      timed = false;
      gathered.dueSince(now - limits.ageNanos());
    }
    advance();
  }
}
