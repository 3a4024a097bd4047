package org.weft.protocol.transport.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Room for the large requests that all servers of a transport take in. A request holds its room
 * from the moment when enough of it has come to expect the rest, until it is answered. One that
 * finds no room waits, and is not read meanwhile. While another waits, a request that does not
 * arrive is ended: at first after the whole patience, and the sooner the more is waited for.
 *
 * <p>Waiting requests are served in the order of asking, except that smaller requests have a head
 * start. The head start is bounded, so that large requests do not wait for ever.
 *
 * <p>Thread-safe.
 */
public final class ArrivalMemory {
  /** What a request that is so much larger loses of its turn. */
  private static final long HEAD_START_NANOS_PER_KIB = TimeUnit.MILLISECONDS.toNanos(4);

  /** No connection that sends 4 MiB a second, after a moment to begin, is ended. */
  private static final long MIN_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long MIN_PATIENCE_NANOS_PER_MIB = TimeUnit.MILLISECONDS.toNanos(250);

  /** Whose request it is. Told on any thread, without a lock. */
  public interface Owner {
    /** A place that waited has its room. */
    void granted(Place place);

    /** It is to be given up for others. */
    void tooSlow(Place place);
  }

  /** One large request. */
  public static final class Place {
    private final int bytes;
    private final Owner owner;
    private long turnNanos;
    private long number;
    private long sinceNanos;

    public Place(int bytes, Owner owner) {
      this.bytes = bytes;
      this.owner = owner;
    }

    public int bytes() {
      return bytes;
    }
  }

  private final long limitBytes;
  private final long patienceNanos;
  private final Set<Place> arriving = new LinkedHashSet<>();
  private final Set<Place> whole = new LinkedHashSet<>();

  private final TreeSet<Place> waiting =
      new TreeSet<>(
          Comparator.comparingLong((Place place) -> place.turnNanos)
              .thenComparingLong(place -> place.number));

  private long usedBytes;
  private long waitedForBytes;
  private long numbers;

  public ArrivalMemory(long limitBytes, long patienceNanos) {
    this.limitBytes = limitBytes;
    this.patienceNanos = patienceNanos;
  }

  /** True if it has its room now; else it waits, and is granted later. */
  public synchronized boolean take(Place place, long nowNanos) {
    place.number = numbers++;
    place.turnNanos = nowNanos + place.bytes / 1_024 * HEAD_START_NANOS_PER_KIB;
    boolean first = waiting.isEmpty() || place.turnNanos < waiting.first().turnNanos;
    if (first && fits(place)) {
      begin(place, nowNanos);
      return true;
    }
    waiting.add(place);
    waitedForBytes += place.bytes;
    return false;
  }

  /** One that is larger than all there is goes alone. */
  private boolean fits(Place place) {
    return usedBytes == 0 || usedBytes + place.bytes <= limitBytes;
  }

  private void begin(Place place, long nowNanos) {
    place.sinceNanos = nowNanos;
    usedBytes += place.bytes;
    arriving.add(place);
  }

  /** All of it is there: it is not ended any more, but still holds its room. */
  public synchronized void arrived(Place place) {
    if (arriving.remove(place)) {
      whole.add(place);
    }
  }

  /** It needs no room any more, whatever it had. */
  public void leave(Place place, long nowNanos) {
    List<Place> granted = new ArrayList<>();
    synchronized (this) {
      if (waiting.remove(place)) {
        waitedForBytes -= place.bytes;
      } else if (arriving.remove(place) || whole.remove(place)) {
        usedBytes -= place.bytes;
      }
      while (!waiting.isEmpty() && fits(waiting.first())) {
        Place first = waiting.pollFirst();
        waitedForBytes -= first.bytes;
        begin(first, nowNanos);
        granted.add(first);
      }
    }
    granted.forEach(next -> next.owner.granted(next));
  }

  /**
   * Ends those that have been arriving for too long.
   *
   * @return nanoseconds until it is worth looking again; empty if none waits
   */
  public Optional<Long> endTheSlow(long nowNanos) {
    List<Place> slow = new ArrayList<>();
    synchronized (this) {
      if (waiting.isEmpty()) {
        return Optional.empty();
      }
      for (Place place : arriving) {
        if (nowNanos - place.sinceNanos >= patience(place)) {
          slow.add(place);
        }
      }
    }
    slow.forEach(place -> place.owner.tooSlow(place));
    return Optional.of(MIN_PATIENCE_NANOS);
  }

  private long patience(Place place) {
    double left = (double) limitBytes / (limitBytes + waitedForBytes);
    long least = MIN_PATIENCE_NANOS + place.bytes * MIN_PATIENCE_NANOS_PER_MIB / (1 << 20);
    return Math.max(least, (long) (patienceNanos * left));
  }

  /** Bytes of large requests that are arriving, or not yet answered. */
  synchronized long usedBytes() {
    return usedBytes;
  }
}
