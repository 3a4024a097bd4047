package org.weft.client.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.retry.Backoff;

/**
 * The ranges of a shared file that its writer owns (P 6.5): for writing, or for reading alone,
 * beside others that read. An operation acquires all that it needs at once before it uses it, and
 * the ranges are kept until others want them. Then what is under way there is finished and
 * complete. What was gathered where it may be written is written. After that they are given back,
 * whatever they are owned for. Nothing is given back while the manager is being asked for more, so
 * that its answer is what it says when it comes.
 *
 * <p>While an operation waits for ranges it holds none, so that two of them never wait for each
 * other. Nor do two that own a range for reading and want to write there. Each gives it back as
 * soon as the other one wants it, and goes on asking. Operations run side by side in what is owned,
 * and one at a time asks for more. What others want back is given back when those are over that
 * were in it: later ones wait, and ask anew. Recalls come at any time. Thread-safe, and never
 * blocks.
 */
final class OwnedRanges {
  /** Waiting for others longer than this fails: none may keep a range for longer than a lease. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** Ranges that are remembered as used, and that are owned; the manager allows twice as many. */
  private static final int MAX_RANGES = 500;

  /** What the manager is asked, in the order in which it is. */
  interface Source {
    /** Asks once; BUSY while others own some of it, FENCED if the grant is to be renewed. */
    CompletableFuture<Given> acquire(ByteRange range, RangeUse use);

    /**
     * Writes what waits to be written there, which is owned for that. No other client owns a range
     * until it is released; no range is asked for and none waited for meanwhile.
     */
    CompletableFuture<Void> settle(ByteRanges leaving);

    /** Everything that was written there is complete. */
    CompletableFuture<Void> release(ByteRange range);

    /**
     * The grant has ended together with another's: asks for one in its place.
     *
     * @return false if there will be none, since nothing is written any more
     */
    boolean renewGrant(WeftException why);

    Backoff.Delays patience();

    void later(long delayNanos, Runnable task);

    long nowNanos();
  }

  /**
   * What the manager gave.
   *
   * @param use empty: it is of an earlier release, which knows no owners for reading
   */
  record Given(ByteRange range, Optional<RangeUse> use) {}

  private final Source source;
  private final long stripeBytes;

  // Guarded by this; nothing is waited for while it is held.
  private OwnedStripes owned = OwnedStripes.NONE;
  private ByteRanges used = ByteRanges.NONE;
  private ByteRanges recalled = ByteRanges.NONE;

  /** Of each operation that is under way. */
  private final List<ByteRange> pinned = new ArrayList<>();

  private boolean asking;
  private int releasing;
  private CompletableFuture<Void> settled = CompletableFuture.completedFuture(null);
  private final List<Runnable> waiting = new ArrayList<>();
  private WeftException failure;
  private boolean ended;

  OwnedRanges(Source source, long stripeBytes) {
    this.source = source;
    this.stripeBytes = stripeBytes;
  }

  /**
   * Completes when the whole stripes around the range may be used so, and are kept until {@link
   * #done}.
   */
  CompletableFuture<Void> own(ByteRange range, RangeUse use) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    new Wanting(range.alignedTo(stripeBytes), use, result).step();
    return result;
  }

  /** One operation on its way to what it needs. */
  private final class Wanting {
    private final ByteRange range;
    private final RangeUse use;
    private final CompletableFuture<Void> result;
    private final Backoff.Delays patience = source.patience();
    private final long deadlineNanos = source.nowNanos() + PATIENCE_NANOS;

    Wanting(ByteRange range, RangeUse use, CompletableFuture<Void> result) {
      this.range = range;
      this.use = use;
      this.result = result;
    }

    void step() {
      WeftException over;
      Runnable next;
      synchronized (OwnedRanges.this) {
        over = ended ? over() : failure;
        next = over == null ? nextStep() : () -> {};
      }
      if (over != null) {
        result.completeExceptionally(over);
      } else {
        next.run();
      }
    }

    /** Under the monitor. */
    private Runnable nextStep() {
      boolean wanted = recalled.overlaps(range);
      if (owned.covers(range, use) && !wanted) {
        pin(range);
        return () -> result.complete(null);
      }
      if (asking || releasing > 0 || wanted) {
        waiting.add(this::step);
        return () -> {};
      }
      if (owned.size() >= MAX_RANGES) {
        waiting.add(this::step);
        recalled = ByteRanges.NONE.plus(ByteRange.ALL);
        return OwnedRanges.this::obey;
      }
      asking = true;
      return this::ask;
    }

    private void ask() {
      var unused =
          CallSequencer.begun(() -> source.acquire(range, use))
              .whenComplete(
                  (given, thrown) -> {
                    if (thrown == null) {
                      acquired(given);
                    } else {
                      refused(WeftException.of(thrown));
                    }
                  });
    }

    private void acquired(Given given) {
      boolean mine;
      synchronized (OwnedRanges.this) {
        asking = false;
        // A manager of an earlier release believes that what is read here is owned for writing, and
        // that others write where they read. It is given back, and asked for anew.
        mine = !ended && (given.use().isPresent() || !owned.reading().overlaps(given.range()));
        if (mine) {
          RangeUse as = given.use().orElse(RangeUse.WRITING);
          owned = owned.plus(given.range(), as).plus(range, as);
          pin(range);
        } else {
          recalled = recalled.plus(given.range());
        }
      }
      obey();
      if (mine) {
        result.complete(null);
      } else {
        step();
      }
      wake();
    }

    private void refused(WeftException why) {
      boolean fenced = why.code() == ErrorCode.FENCED;
      boolean waits = fenced || why.code() == ErrorCode.BUSY;
      synchronized (OwnedRanges.this) {
        asking = false;
        if (!waits) {
          // It may yet be heard, or the grant is gone: nothing else is asked or given back.
          unsound(why);
        }
      }
      obey();
      wake();
      if (!waits || source.nowNanos() - deadlineNanos > 0) {
        result.completeExceptionally(why);
        return;
      }
      if (fenced && !source.renewGrant(why)) {
        result.completeExceptionally(why);
        return;
      }
      source.later(patience.nextNanos(), this::step);
    }
  }

  /** Operations that wait look again whether they may go on. */
  private void wake() {
    List<Runnable> woken;
    synchronized (this) {
      woken = List.copyOf(waiting);
      waiting.clear();
    }
    woken.forEach(Runnable::run);
  }

  private void pin(ByteRange range) {
    pinned.add(range);
    if (range.equals(ByteRange.ALL)) {
      // For the length alone: others that want some of it may have all that was not needed before.
      return;
    }
    used = used.size() < MAX_RANGES ? used.plus(range) : ByteRanges.NONE.plus(range);
  }

  /** An operation on the range is over, and complete: what was recalled meanwhile is given back. */
  void done(ByteRange range) {
    synchronized (this) {
      pinned.remove(range.alignedTo(stripeBytes));
    }
    obey();
    wake();
  }

  /** Others want to write there, or to read what may be written here. */
  void recall(ByteRange range) {
    synchronized (this) {
      recalled = recalled.plus(range);
    }
    obey();
  }

  /** Gives back what was recalled, but for what an operation has under way. */
  private void obey() {
    for (GivingBack next = nextDue(); next != null; next = nextDue()) {
      begin(next);
    }
  }

  /**
   * Chooses a range that no operation is in, and takes it out of what is owned, in one step. No
   * operation enters it any more, and none asks for another range before the manager has heard.
   * What is due besides stays recalled until its own turn, so that none enters that meanwhile.
   *
   * @return null if nothing can be given back now
   */
  private synchronized GivingBack nextDue() {
    if (asking || ended || failure != null) {
      return null;
    }
    for (ByteRange each : recalled.list()) {
      if (pinned.stream().noneMatch(each::overlaps)) {
        recalled = recalled.minus(each);
        boolean isOwned = owned.overlaps(each);
        if (isOwned || releasing == 0) {
          return takenOut(each.alignedTo(stripeBytes), isOwned);
        }
        // The manager has not heard of it yet.
      }
    }
    return null;
  }

  /**
   * Under the monitor, takes out a range, and around it what is owned but was never needed. A
   * client that wants some of it will want more.
   */
  private GivingBack takenOut(ByteRange range, boolean isOwned) {
    ByteRange given = isOwned ? withUnused(range) : range;
    ByteRanges leaving = owned.writing().within(given);
    owned = owned.minus(given);
    used = used.minus(given);
    releasing++;
    GivingBack next = new GivingBack(given, leaving, settled, new CompletableFuture<>());
    settled = next.mine();
    return next;
  }

  /**
   * A range on its way back, which no operation is in and none enters.
   *
   * @param leaving what of it was owned for writing
   * @param before nothing is on its way any more in ranges that were taken out before
   * @param mine the same of this one
   */
  private record GivingBack(
      ByteRange given,
      ByteRanges leaving,
      CompletableFuture<Void> before,
      CompletableFuture<Void> mine) {}

  private void begin(GivingBack next) {
    // The range may reach over one that was to be given back before, where bytes are on their way.
    var unused =
        next.before()
            .thenCompose(nothing -> source.settle(next.leaving()))
            .thenCompose(nothing -> release(next))
            .whenComplete(
                (nothing, thrown) -> {
                  released(thrown == null ? null : WeftException.of(thrown));
                  if (thrown != null) {
                    next.mine().completeExceptionally(thrown);
                  }
                });
  }

  /** Nothing is on its way there any more: now the manager may hear of it, and others after it. */
  private CompletableFuture<Void> release(GivingBack range) {
    CompletableFuture<Void> heard = source.release(range.given());
    range.mine().complete(null);
    return heard;
  }

  private void released(WeftException thrown) {
    synchronized (this) {
      releasing--;
      if (thrown != null) {
        // It may yet be heard, and then take away what is acquired meanwhile.
        unsound(thrown);
      }
    }
    wake();
  }

  private synchronized void unsound(WeftException why) {
    failure = failure == null ? why : failure;
  }

  /** False once it is not known any more what is owned. */
  synchronized boolean isSound() {
    return failure == null;
  }

  private ByteRange withUnused(ByteRange range) {
    long from = range.from();
    long to = range.to();
    ByteRanges unused = owned.all().minus(used);
    for (ByteRange each : pinned) {
      unused = unused.minus(each);
    }
    for (ByteRange each : unused.list()) {
      if (each.overlaps(range)) {
        from = Math.min(from, each.from());
        to = Math.max(to, each.to());
      }
    }
    return new ByteRange(from, to);
  }

  private static WeftException over() {
    return new WeftException(ErrorCode.CANCELLED, "the file was given up by its writer");
  }

  /** The file is closed or given up: what is owned goes with the grant. */
  void end() {
    synchronized (this) {
      ended = true;
    }
    wake();
  }
}
