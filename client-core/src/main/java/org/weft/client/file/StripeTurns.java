package org.weft.client.file;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.protocol.layout.ByteRange;

/**
 * Lets calls on the bytes of a file run side by side where they cannot harm each other. Reads run
 * beside reads, and changes within the file beside changes. All run beside whatever touches other
 * stripes. A write that makes the file longer takes what lies behind the old end for zeros, so that
 * its stripes are its own meanwhile (P 5.3). A read looks at stripes that no call writes.
 *
 * <p>A call waits for those before it that it does not go with, and passes the rest. Thread-safe,
 * and never blocks.
 */
final class StripeTurns {
  /** What a call does to the stripes that it touches. */
  enum Kind {
    READ,
    /** Within the length of the file. */
    CHANGE,
    /** Alone with its stripes. */
    GROW
  }

  /**
   * What a call needs.
   *
   * @param range whole stripes
   */
  record Claim(Kind kind, ByteRange range) {
    private boolean goesWith(Claim other) {
      return !range.overlaps(other.range) || kind == other.kind && kind != Kind.GROW;
    }
  }

  /** So many that wait are looked at; those behind them wait for one of these. */
  private static final int MAX_LOOKED_AT = 64;

  private record Waiting(Supplier<Claim> claim, Starter starter) {}

  /** Begins a call that has been given what it needs. */
  @FunctionalInterface
  private interface Starter {
    void begin(Claim claim);
  }

  // Guarded by this; nothing is waited for while it is held.
  private final List<Waiting> waiting = new ArrayList<>();
  private final List<Claim> held = new ArrayList<>();
  private boolean advancing;

  /**
   * Makes the call when its turn has come; at once if that is now.
   *
   * @param claim asked again whenever the call might begin: the length of the file may be another
   *     by then. It changes only by calls that are under way
   */
  <T> CompletableFuture<T> take(Supplier<Claim> claim, Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> told = new CompletableFuture<>();
    Waiting mine = new Waiting(claim, given -> begin(given, call, told));
    synchronized (this) {
      waiting.add(mine);
    }
    advance();
    return told;
  }

  private <T> void begin(
      Claim given, Supplier<CompletableFuture<T>> call, CompletableFuture<T> told) {
    var unused =
        CallSequencer.begun(call)
            .whenComplete(
                (value, thrown) -> {
                  over(given);
                  if (thrown == null) {
                    told.complete(value);
                  } else {
                    told.completeExceptionally(thrown);
                  }
                  advance();
                });
  }

  private synchronized void over(Claim given) {
    held.remove(given);
  }

  /** A call that is over at once does not begin the next one within itself: there may be many. */
  private void advance() {
    synchronized (this) {
      if (advancing) {
        return;
      }
      advancing = true;
    }
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private synchronized Runnable next() {
    List<Claim> before = new ArrayList<>(held);
    for (int index = 0; index < Math.min(waiting.size(), MAX_LOOKED_AT); index++) {
      Waiting each = waiting.get(index);
      Claim claim = each.claim().get();
      if (before.stream().allMatch(claim::goesWith)) {
        waiting.remove(index);
        held.add(claim);
        return () -> each.starter().begin(claim);
      }
      before.add(claim);
    }
    advancing = false;
    return null;
  }
}
