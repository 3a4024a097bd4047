package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.weft.protocol.layout.ByteRange;

/**
 * What is gathered of a file, stripe by stripe, and what of it is due: to be sent as soon as may
 * be. What is due goes oldest first, and the oldest becomes due first: it has had the longest
 * chance to be added to, a stripe that is being filled is not sent in its midst, and nothing is
 * left behind. Pure state; not thread-safe.
 */
final class GatheredBytes {
  private final long stripeBytes;
  private final NavigableMap<Long, GatheredStripe> byPosition = new TreeMap<>();

  // By number: the older the smaller. Each stripe is in one of the two.
  private final NavigableMap<Long, GatheredStripe> idle = new TreeMap<>();
  private final NavigableMap<Long, GatheredStripe> due = new TreeMap<>();

  private long lastNumber;
  private long idleBytes;
  private long dueBytes;

  GatheredBytes(long stripeBytes) {
    this.stripeBytes = stripeBytes;
  }

  /** What it costs of the bound, bookkeeping included. */
  long heldBytes() {
    return idleBytes + dueBytes;
  }

  /** What that of it costs which is not due. */
  long idleBytes() {
    return idleBytes;
  }

  boolean isEmpty() {
    return byPosition.isEmpty();
  }

  /** Behind the last byte; 0 if there is none. */
  long endBytes() {
    return isEmpty() ? 0 : byPosition.lastEntry().getValue().hull().to();
  }

  /** What comes from now on has a larger number. */
  long lastNumber() {
    return lastNumber;
  }

  /** A number of its own for something that comes between stripes. */
  long nextNumber() {
    return ++lastNumber;
  }

  /** How much more it would cost with a range within one stripe. */
  long growth(ByteRange range) {
    GatheredStripe there = byPosition.get(stripeOf(range.from()));
    return there == null
        ? range.to() - range.from() + GatheredRun.OVERHEAD_BYTES + GatheredStripe.OVERHEAD_BYTES
        : there.growth(range.from(), range.to());
  }

  /** Takes what remains in the buffer, which lies within one stripe; a full stripe is due. */
  void put(long position, ByteBuffer data, long nowNanos) {
    GatheredStripe stripe = byPosition.get(stripeOf(position));
    if (stripe == null) {
      long from = stripeOf(position) * stripeBytes;
      stripe = new GatheredStripe(new ByteRange(from, from + stripeBytes), ++lastNumber, nowNanos);
      byPosition.put(stripeOf(position), stripe);
      idle.put(stripe.number(), stripe);
      idleBytes += stripe.heldBytes();
    }
    long before = stripe.heldBytes();
    stripe.put(position, data);
    if (due.containsKey(stripe.number())) {
      dueBytes += stripe.heldBytes() - before;
      return;
    }
    idleBytes += stripe.heldBytes() - before;
    if (stripe.isFull()) {
      isDue(stripe);
    }
  }

  private long stripeOf(long position) {
    return position / stripeBytes;
  }

  private void isDue(GatheredStripe stripe) {
    if (idle.remove(stripe.number()) != null) {
      due.put(stripe.number(), stripe);
      idleBytes -= stripe.heldBytes();
      dueBytes += stripe.heldBytes();
    }
  }

  /** The oldest that is not due; empty if all is. */
  Optional<GatheredStripe> oldestIdle() {
    return idle.isEmpty() ? Optional.empty() : Optional.of(idle.firstEntry().getValue());
  }

  /** The oldest become due until what is not costs no more than that. */
  void dueDownTo(long mostIdleBytes) {
    while (idleBytes > mostIdleBytes && !idle.isEmpty()) {
      isDue(idle.firstEntry().getValue());
    }
  }

  /** What has been there since then, or longer, becomes due. */
  void dueSince(long nanos) {
    while (!idle.isEmpty() && idle.firstEntry().getValue().sinceNanos() - nanos <= 0) {
      isDue(idle.firstEntry().getValue());
    }
  }

  /** What lies in the range becomes due, in whole stripes. */
  void dueWithin(ByteRange range) {
    within(range).forEach(this::isDue);
  }

  /** True if something of the range is there and came no later than that number. */
  boolean hasDue(ByteRange range, long upToNumber) {
    return due.headMap(upToNumber, true).values().stream()
        .anyMatch(each -> each.stripe().overlaps(range));
  }

  /** The oldest that is due and may go now. */
  Optional<GatheredStripe> nextDue(Predicate<GatheredStripe> mayGo) {
    return due.values().stream().filter(mayGo).findFirst();
  }

  /** Stripes of which something is there, in ascending order. */
  List<GatheredStripe> within(ByteRange range) {
    return new ArrayList<>(
        byPosition.subMap(stripeOf(range.from()), true, stripeOf(range.to() - 1), true).values());
  }

  /** Removes the stripe that begins there; empty if nothing of it is there. */
  Optional<GatheredStripe> take(long stripeFrom) {
    GatheredStripe taken = byPosition.remove(stripeOf(stripeFrom));
    if (taken == null) {
      return Optional.empty();
    }
    if (due.remove(taken.number()) != null) {
      dueBytes -= taken.heldBytes();
    } else {
      idle.remove(taken.number());
      idleBytes -= taken.heldBytes();
    }
    return Optional.of(taken);
  }

  void clear() {
    byPosition.clear();
    idle.clear();
    due.clear();
    idleBytes = 0;
    dueBytes = 0;
  }
}
