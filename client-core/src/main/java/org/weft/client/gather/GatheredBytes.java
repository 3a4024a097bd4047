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
 * be. What is due goes oldest first, and the oldest becomes due first, since it has had the longest
 * chance to be added to. So a stripe that is being filled is not sent in the middle, and nothing is
 * left behind. Pure state; not thread-safe.
 */
final class GatheredBytes {
  private final long stripeBytes;
  private final long stripesOfRun;
  private final NavigableMap<Long, GatheredStripe> byPosition = new TreeMap<>();

  // By number: the older the smaller. Each stripe is in one of the two.
  private final NavigableMap<Long, GatheredStripe> idle = new TreeMap<>();
  private final NavigableMap<Long, GatheredStripe> due = new TreeMap<>();

  private long lastNumber;
  private long idleBytes;
  private long dueBytes;

  /** With what was taken out and is not forgotten. */
  private final KeptMemory.Sum kept = new KeptMemory.Sum();

  /**
   * @param runBytes kept stripes wait until so many bytes can go together, from a multiple of that
   *     on
   */
  GatheredBytes(long stripeBytes, long runBytes) {
    this.stripeBytes = stripeBytes;
    this.stripesOfRun = Math.max(1, runBytes / stripeBytes);
  }

  /** What it costs of the bound, bookkeeping included. */
  long heldBytes() {
    return idleBytes + dueBytes;
  }

  /** What is kept in memory of others, stripes included that were taken out: until they forget. */
  KeptMemory.Sum kept() {
    return kept;
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

  /**
   * Takes what remains in the buffer, which lies within one stripe. One that is full by that is due
   * at once; beside kept ones it waits for its run, as these do.
   */
  void put(long position, ByteBuffer data, long nowNanos) {
    GatheredStripe stripe = at(position, nowNanos);
    change(stripe, () -> stripe.put(position, data));
    if (stripe.isFull()) {
      filled(stripe);
    }
  }

  /**
   * Keeps what remains in the buffer, which is one stripe. It is due once all stripes of its run
   * are full.
   */
  void keep(long position, ByteBuffer data, KeptMemory memory, long nowNanos) {
    GatheredStripe stripe = at(position, nowNanos);
    change(stripe, () -> stripe.keep(data, memory));
    filled(stripe);
  }

  private void filled(GatheredStripe stripe) {
    List<GatheredStripe> run = within(runOf(stripe));
    boolean isWhole = run.size() == stripesOfRun && run.stream().allMatch(GatheredStripe::isFull);
    boolean isDueAlready = due.containsKey(stripe.number());
    if (isWhole || isDueAlready || run.stream().noneMatch(each -> each.kept().isPresent())) {
      isDue(stripe);
    }
  }

  private GatheredStripe at(long position, long nowNanos) {
    GatheredStripe there = byPosition.get(stripeOf(position));
    if (there != null) {
      return there;
    }
    long from = stripeOf(position) * stripeBytes;
    GatheredStripe stripe =
        new GatheredStripe(new ByteRange(from, from + stripeBytes), ++lastNumber, nowNanos);
    byPosition.put(stripeOf(position), stripe);
    idle.put(stripe.number(), stripe);
    count(stripe, 1);
    return stripe;
  }

  /** Counts right, and keeps no empty stripe, also where the change fails for want of memory. */
  private void change(GatheredStripe stripe, Runnable change) {
    count(stripe, -1);
    try {
      change.run();
    } finally {
      count(stripe, 1);
      if (stripe.runs().isEmpty()) {
        var unused = take(stripe.stripe().from());
      }
    }
  }

  /** Counts it in or out. */
  private void count(GatheredStripe stripe, int sign) {
    if (due.containsKey(stripe.number())) {
      dueBytes += sign * stripe.heldBytes();
    } else {
      idleBytes += sign * stripe.heldBytes();
      stripe.kept().ifPresent(each -> each.countIdle(sign));
    }
  }

  /** The stripes that it is sent with if they are full, too. */
  private ByteRange runOf(GatheredStripe stripe) {
    long runBytes = stripesOfRun * stripeBytes;
    long from = stripe.stripe().from() / runBytes * runBytes;
    return new ByteRange(from, from + runBytes);
  }

  private long stripeOf(long position) {
    return position / stripeBytes;
  }

  /** With a full one all full ones of its run are, also where it was due before it was full. */
  private void isDue(GatheredStripe stripe) {
    becomesDue(stripe);
    if (stripe.isFull()) {
      within(runOf(stripe)).stream().filter(GatheredStripe::isFull).forEach(this::becomesDue);
    }
  }

  private void becomesDue(GatheredStripe stripe) {
    if (idle.containsKey(stripe.number())) {
      count(stripe, -1);
      idle.remove(stripe.number());
      due.put(stripe.number(), stripe);
      count(stripe, 1);
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

  /** The oldest that are kept become due until memory with one that is not is no more than that. */
  void keptDueDownTo(long mostIdleBytes) {
    while (kept.idleBytes() > mostIdleBytes) {
      idle.values().stream()
          .filter(each -> each.kept().isPresent())
          .findFirst()
          .ifPresent(this::isDue);
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

  /**
   * The oldest stripe that is due and may go now. If it is full, the full ones beside it in its run
   * that may go come with it. In ascending order; empty if there is none.
   */
  List<GatheredStripe> nextDue(Predicate<GatheredStripe> mayGo) {
    Optional<GatheredStripe> oldest = due.values().stream().filter(mayGo).findFirst();
    if (oldest.isEmpty()) {
      return List.of();
    }
    Predicate<GatheredStripe> goes = each -> due.containsKey(each.number()) && mayGo.test(each);
    return together(runOf(oldest.get()), goes).stream()
        .filter(each -> each.contains(oldest.get()))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Those of a range that may go: full ones beside each other in a run together, others alone. In
   * ascending order.
   */
  List<List<GatheredStripe>> together(ByteRange range, Predicate<GatheredStripe> mayGo) {
    List<List<GatheredStripe>> all = new ArrayList<>();
    Optional<GatheredStripe> before = Optional.empty();
    for (GatheredStripe each : within(range)) {
      if (mayGo.test(each)) {
        if (before.filter(last -> goWithEachOther(last, each)).isEmpty()) {
          all.add(new ArrayList<>());
        }
        all.get(all.size() - 1).add(each);
        before = Optional.of(each);
      }
    }
    return all;
  }

  private boolean goWithEachOther(GatheredStripe left, GatheredStripe right) {
    return left.isFull()
        && right.isFull()
        && left.stripe().to() == right.stripe().from()
        && runOf(left).contains(right.stripe());
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
    count(taken, -1);
    due.remove(taken.number());
    idle.remove(taken.number());
    return Optional.of(taken);
  }

  void clear() {
    for (GatheredStripe each : byPosition.values()) {
      count(each, -1);
      each.forget();
    }
    byPosition.clear();
    idle.clear();
    due.clear();
  }
}
