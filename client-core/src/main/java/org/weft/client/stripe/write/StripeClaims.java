package org.weft.client.stripe.write;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.StripeContext;

/**
 * Keeps changes of one stripe that must not overlap one after another (P 5.3). XOR writes of
 * different data units need no order among each other. Everything else does, from the reading of
 * old bytes on. The change that asks first comes first. Thread-safe.
 */
final class StripeClaims {
  private static final int WHOLE = -1;

  /** The right to change a stripe, or one data unit of it by XOR. */
  record Claim(long stripe, int unit) {
    private boolean isBeside(Claim other) {
      return unit != WHOLE && other.unit != WHOLE && unit != other.unit;
    }
  }

  private record Waiting(Claim claim, CompletableFuture<Claim> granted) {}

  private static final class Line {
    private final List<Claim> held = new ArrayList<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private boolean admits(Claim claim) {
      return held.stream().allMatch(claim::isBeside);
    }
  }

  private final StripeContext context;
  private final SortedMap<Long, Line> lines = new TreeMap<>();

  StripeClaims(StripeContext context) {
    this.context = context;
  }

  /** The whole stripe. */
  CompletableFuture<Claim> take(long stripe) {
    return take(new Claim(stripe, WHOLE));
  }

  /**
   * Consecutive stripes, whole. All are asked for at once: a claim on one of them that was asked
   * for before comes first, and waits for none of these.
   */
  synchronized CompletableFuture<List<Claim>> take(long firstStripe, int stripes) {
    List<CompletableFuture<Claim>> claims = new ArrayList<>(stripes);
    for (int index = 0; index < stripes; index++) {
      claims.add(take(firstStripe + index));
    }
    return CompletableFuture.allOf(claims.toArray(CompletableFuture<?>[]::new))
        .thenApply(nothing -> claims.stream().map(CompletableFuture::join).toList());
  }

  /** One data unit of it, to be changed by XOR. */
  CompletableFuture<Claim> takeUnit(long stripe, int unit) {
    return take(new Claim(stripe, unit));
  }

  private synchronized CompletableFuture<Claim> take(Claim claim) {
    Line line = lines.computeIfAbsent(claim.stripe(), stripe -> new Line());
    if (line.waiting.isEmpty() && line.admits(claim)) {
      line.held.add(claim);
      return CompletableFuture.completedFuture(claim);
    }
    CompletableFuture<Claim> granted = new CompletableFuture<>();
    line.waiting.add(new Waiting(claim, granted));
    return granted;
  }

  void giveBack(Claim claim) {
    List<Waiting> next = new ArrayList<>();
    synchronized (this) {
      Line line = lines.get(claim.stripe());
      line.held.remove(claim);
      for (Iterator<Waiting> each = line.waiting.iterator(); each.hasNext(); ) {
        Waiting first = each.next();
        if (!line.admits(first.claim())) {
          break;
        }
        each.remove();
        line.held.add(first.claim());
        next.add(first);
      }
      if (line.held.isEmpty()) {
        lines.remove(claim.stripe());
      }
    }
    for (Waiting each : next) {
      context.executeElsewhere(() -> each.granted().complete(each.claim()));
    }
  }
}
