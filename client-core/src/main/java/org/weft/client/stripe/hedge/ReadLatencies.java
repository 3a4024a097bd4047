package org.weft.client.stripe.hedge;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.weft.protocol.id.OsdId;

/**
 * Keeps how long OSDs take to answer reads, by the size of what is asked for: what "late" means. An
 * OSD is measured by its peers, not by itself. The measure is the median of the OSDs' 99th
 * percentiles, which a few slow ones do not move. Thread-safe.
 */
final class ReadLatencies {
  /** Up to 16 KiB, 128 KiB, 512 KiB, and above. */
  static final int SIZES = 4;

  private static final int ANSWERS_PER_LOOK = 128;

  private final Map<OsdId, LatencyDigest[]> digests = new ConcurrentSkipListMap<>();
  private final AtomicLongArray measures = new AtomicLongArray(SIZES);
  private final AtomicInteger answers = new AtomicInteger();
  private volatile boolean known;

  static int sizeOf(long bytes) {
    if (bytes <= 16 << 10) {
      return 0;
    }
    return bytes <= 128 << 10 ? 1 : bytes <= 512 << 10 ? 2 : 3;
  }

  /** It took so long to answer, or at least so long without an answer. */
  void took(OsdId osd, long bytes, long nanos) {
    LatencyDigest[] ofOsd = digests.get(osd);
    if (ofOsd == null) {
      ofOsd = digests.computeIfAbsent(osd, id -> newDigests());
    }
    ofOsd[sizeOf(bytes)].add(nanos);
    // Looked at again the less often, the more OSDs there are to look at.
    int seen = answers.incrementAndGet();
    if (seen >= (known ? ANSWERS_PER_LOOK : LatencyDigest.MIN_ANSWERS)
        && seen >= digests.size() * SIZES
        && answers.compareAndSet(seen, 0)) {
      look();
    }
  }

  private static LatencyDigest[] newDigests() {
    LatencyDigest[] ofSizes = new LatencyDigest[SIZES];
    Arrays.setAll(ofSizes, size -> new LatencyDigest());
    return ofSizes;
  }

  private void look() {
    for (int size = 0; size < SIZES; size++) {
      int index = size;
      long[] all =
          digests.values().stream()
              .mapToLong(ofSizes -> ofSizes[index].p99Nanos())
              .filter(nanos -> nanos >= 0)
              .sorted()
              .toArray();
      measures.set(size, all.length == 0 ? 0 : all[(all.length - 1) / 2]);
      known |= all.length > 0;
    }
  }

  /** In which nearly all answers of that size come from an ordinary OSD; -1 if it is not known. */
  long usualNanos(long bytes) {
    // What is known of larger ones is too long rather than too short.
    for (int size = sizeOf(bytes); size < SIZES; size++) {
      long nanos = measures.get(size);
      if (nanos > 0) {
        return nanos;
      }
    }
    return -1;
  }
}
