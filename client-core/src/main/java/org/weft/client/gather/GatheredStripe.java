package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.protocol.layout.ByteRange;

/**
 * What is gathered of one stripe: runs of bytes with gaps between them, the last write of each
 * byte. It is sent as one, since it is owned as one, and leaves at once when there is no gap. Not
 * thread-safe.
 */
final class GatheredStripe {
  /** Counted for each stripe beside its runs: the object, its maps and its places in the table. */
  static final int OVERHEAD_BYTES = 320;

  private final ByteRange stripe;
  private final long number;
  private final long sinceNanos;
  private final NavigableMap<Long, GatheredRun> runs = new TreeMap<>();
  private long heldBytes = OVERHEAD_BYTES;

  /**
   * A stripe of which nothing is gathered yet.
   *
   * @param number the older the smaller
   */
  GatheredStripe(ByteRange stripe, long number, long sinceNanos) {
    this.stripe = stripe;
    this.number = number;
    this.sinceNanos = sinceNanos;
  }

  ByteRange stripe() {
    return stripe;
  }

  long number() {
    return number;
  }

  /** When the first byte came; later ones do not make it younger. */
  long sinceNanos() {
    return sinceNanos;
  }

  /** What it costs of the bound. */
  long heldBytes() {
    return heldBytes;
  }

  /** The memory of others in which all of it lies. */
  Optional<KeptMemory> kept() {
    return runs.isEmpty() ? Optional.empty() : runs.firstEntry().getValue().kept();
  }

  /** Keeps all of its bytes in place of what was there, and shares their memory. */
  void keep(ByteBuffer data, KeptMemory memory) {
    GatheredRun whole = new GatheredRun(stripe.from(), data, memory);
    forget();
    runs.put(stripe.from(), whole);
    heldBytes = OVERHEAD_BYTES + whole.heldBytes();
  }

  /** Nothing of it is needed any more. */
  void forget() {
    runs.values().forEach(GatheredRun::forget);
    runs.clear();
  }

  Collection<GatheredRun> runs() {
    return runs.values();
  }

  /** From the first byte gathered to the last. */
  ByteRange hull() {
    return new ByteRange(runs.firstEntry().getValue().from(), runs.lastEntry().getValue().to());
  }

  boolean isFull() {
    return runs.size() == 1 && hull().equals(stripe);
  }

  /** How much more it would cost with that range. */
  long growth(long from, long to) {
    NavigableMap<Long, GatheredRun> touched = touching(from, to);
    if (touched.isEmpty()) {
      return to - from + GatheredRun.OVERHEAD_BYTES;
    }
    ByteRange wide = hullOf(touched, from, to);
    return largest(touched).heldBytes(wide.from(), wide.to(), stripe.from(), stripe.to())
        - held(touched);
  }

  /** Takes what remains in the buffer, over what was there. */
  void put(long position, ByteBuffer data) {
    long end = position + data.remaining();
    NavigableMap<Long, GatheredRun> touched = touching(position, end);
    heldBytes -= held(touched);
    GatheredRun host;
    if (touched.isEmpty()) {
      host = new GatheredRun(position, data);
    } else {
      host = largest(touched);
      ByteRange wide = hullOf(touched, position, end);
      host.widen(wide.from(), wide.to(), stripe.from(), stripe.to());
      for (GatheredRun each : touched.values()) {
        if (each != host) {
          host.copy(each);
        }
      }
      host.copy(position, data);
      touched.clear();
    }
    runs.put(host.from(), host);
    heldBytes += host.heldBytes();
  }

  /** Runs between which and the range there is no gap. */
  private NavigableMap<Long, GatheredRun> touching(long from, long to) {
    var before = runs.floorEntry(from);
    boolean touches = before != null && before.getValue().to() >= from;
    return runs.subMap(touches ? before.getKey() : from, true, to, true);
  }

  private static ByteRange hullOf(NavigableMap<Long, GatheredRun> touched, long from, long to) {
    return new ByteRange(
        Math.min(from, touched.firstEntry().getValue().from()),
        Math.max(to, touched.lastEntry().getValue().to()));
  }

  /** The others are copied into it. */
  private static GatheredRun largest(NavigableMap<Long, GatheredRun> touched) {
    GatheredRun largest = touched.firstEntry().getValue();
    for (GatheredRun each : touched.values()) {
      largest = each.length() > largest.length() ? each : largest;
    }
    return largest;
  }

  private static long held(NavigableMap<Long, GatheredRun> touched) {
    return touched.values().stream().mapToLong(GatheredRun::heldBytes).sum();
  }
}
