package org.weft.client.file;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.weft.protocol.error.WeftException;

/**
 * Keeps account of a write grant that goes back to the manager while its holder does nothing and
 * others want it. It is asked for again when there is something to do (P 6.5).
 *
 * <pre>
 *   HELD ── wanted, and nothing is under way ──▶ RETURNING ──▶ LENT ── a call ──▶ ASKING ──▶ HELD
 *                                                 │ failed                         │ failed
 *                                                 ▼                                ▼
 *                                                HELD, for good                   LENT
 * </pre>
 *
 * <p>A call that comes while the grant is held begins at once. Others wait in a queue, in the order
 * in which they came. They begin when the grant is there again, or fail with the reason why it is
 * not. What needs no grant, because all that was written is published and durable by then, is
 * answered without one. Thread-safe; never blocks; nothing is called while its monitor is held.
 */
final class Lending {
  private enum State {
    HELD,
    RETURNING,
    LENT,
    ASKING
  }

  /** What is lent. */
  interface Lent {
    /**
     * Has all that was written on stable storage and published, then gives the grant back. Nothing
     * else is under way.
     */
    CompletableFuture<Void> giveBack();

    /** Asks for the grant again, and makes ready what writes under it. */
    CompletableFuture<Void> askAgain();

    /**
     * True if the holder does nothing that is to be spared.
     *
     * @param quietNanos so long no call was under way
     * @param forRepair no other client will change the file
     */
    boolean isIdle(long quietNanos, boolean forRepair);

    /**
     * True if a call that is refused says nothing of those that wait behind it: what they can do
     * without the grant they do.
     */
    default boolean callsStandAlone() {
      return false;
    }
  }

  /** A call that waits; without a grant it is made if that is possible. */
  private record Waiting(Runnable held, Runnable away, CompletableFuture<?> told) {}

  private final Lent lent;
  private final LongSupplier clockNanos;

  // Guarded by this.
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private State state = State.HELD;
  private int underWay;
  private long quietSinceNanos;
  private boolean stays;

  /** Calls that waited are being begun: what comes meanwhile follows them. */
  private boolean draining;

  /**
   * A grant that is held.
   *
   * @param clockNanos monotonic
   */
  Lending(Lent lent, LongSupplier clockNanos) {
    this.lent = lent;
    this.clockNanos = clockNanos;
    this.quietSinceNanos = clockNanos.getAsLong();
  }

  /** False while the grant is given back: the next call asks for it again. */
  synchronized boolean isHeld() {
    return state == State.HELD;
  }

  /** True once the grant has been given back, with all that was written. */
  synchronized boolean isLent() {
    return state == State.LENT || state == State.ASKING;
  }

  /** True while calls wait for the grant. */
  synchronized boolean isWaitedFor() {
    return !waiting.isEmpty();
  }

  /** From now on the grant is given back by its holder alone, if it is held. */
  synchronized void stays() {
    stays = true;
  }

  /** Calls that wait fail, and no other is to come; what is under way goes on. */
  void cancel(WeftException why) {
    Deque<Waiting> cancelled;
    synchronized (this) {
      stays = true;
      cancelled = new ArrayDeque<>(waiting);
      waiting.clear();
    }
    cancelled.forEach(each -> each.told().completeExceptionally(why));
  }

  /**
   * Makes a call that takes the grant.
   *
   * @throws RuntimeException what the call itself throws at once, while the grant is held
   */
  <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
    return call(call, null);
  }

  /**
   * Makes a call.
   *
   * @param away makes it while the grant is not there; null if that cannot be
   */
  <T> CompletableFuture<T> call(
      Supplier<CompletableFuture<T>> held, Supplier<CompletableFuture<T>> away) {
    CompletableFuture<T> told = new CompletableFuture<>();
    State now;
    boolean waits;
    boolean asks;
    synchronized (this) {
      now = state;
      waits =
          draining
              || !waiting.isEmpty()
              || now != State.HELD && !(now == State.LENT && away != null);
      asks = waits && now == State.LENT && !draining;
      if (waits) {
        waiting.add(
            new Waiting(
                () -> pass(counted(held), told),
                away == null ? null : () -> pass(CallSequencer.begun(away), told),
                told));
        state = asks ? State.ASKING : now;
      } else if (now == State.HELD) {
        underWay++;
      }
    }
    if (!waits) {
      return now == State.HELD ? begun(held) : away.get();
    }
    if (asks) {
      ask();
    }
    return told;
  }

  private <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> made;
    try {
      made = call.get();
    } catch (RuntimeException | Error e) {
      over();
      throw e;
    }
    var unused = made.whenComplete((value, thrown) -> over());
    return made;
  }

  /** Of one that is counted already. */
  private <T> CompletableFuture<T> counted(Supplier<CompletableFuture<T>> call) {
    return CallSequencer.begun(() -> begun(call));
  }

  private synchronized void over() {
    underWay--;
    quietSinceNanos = clockNanos.getAsLong();
  }

  private static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
    var unused =
        from.whenComplete(
            (value, thrown) -> {
              if (thrown == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(thrown);
              }
            });
  }

  /** Others want the grant; said again until they have it. */
  void wanted(boolean forRepair) {
    long quietNanos;
    synchronized (this) {
      if (state != State.HELD || stays || underWay > 0) {
        return;
      }
      quietNanos = clockNanos.getAsLong() - quietSinceNanos;
    }
    if (!lent.isIdle(quietNanos, forRepair)) {
      return;
    }
    synchronized (this) {
      if (state != State.HELD || stays || underWay > 0) {
        return;
      }
      state = State.RETURNING;
    }
    var unused =
        CallSequencer.begun(lent::giveBack).whenComplete((nothing, thrown) -> returned(thrown));
  }

  private void returned(Throwable thrown) {
    synchronized (this) {
      if (thrown == null) {
        state = State.LENT;
      } else {
        // What is written under it has failed, and says so itself.
        state = State.HELD;
        stays = true;
      }
    }
    goOn();
  }

  private void ask() {
    var unused =
        CallSequencer.begun(lent::askAgain).whenComplete((nothing, thrown) -> asked(thrown));
  }

  /** Those that cannot be made without the grant. */
  private List<Waiting> withoutAway() {
    return waiting.stream().filter(each -> each.away() == null).toList();
  }

  private void asked(Throwable thrown) {
    Deque<Waiting> refused = new ArrayDeque<>();
    synchronized (this) {
      state = thrown == null ? State.HELD : State.LENT;
      quietSinceNanos = clockNanos.getAsLong();
      if (thrown != null) {
        refused.addAll(lent.callsStandAlone() ? withoutAway() : waiting);
        waiting.removeAll(refused);
      }
    }
    refused.forEach(each -> each.told().completeExceptionally(WeftException.of(thrown)));
    goOn();
  }

  /** Begins what waits, one after another, as far as that can be. */
  private void goOn() {
    synchronized (this) {
      if (draining) {
        return;
      }
      draining = true;
    }
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private Runnable next() {
    synchronized (this) {
      Waiting first = waiting.peek();
      if (first == null || state == State.RETURNING || state == State.ASKING) {
        draining = false;
        return null;
      }
      if (state == State.HELD) {
        waiting.remove();
        underWay++;
        return first.held();
      }
      if (first.away() != null) {
        waiting.remove();
        return first.away();
      }
      state = State.ASKING;
    }
    return this::ask;
  }
}
