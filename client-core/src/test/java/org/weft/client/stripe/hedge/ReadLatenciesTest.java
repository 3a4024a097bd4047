package org.weft.client.stripe.hedge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;

class ReadLatenciesTest {
  private static final long MILLISECOND = 1_000_000;

  @Test
  void theHundredthIsKnownToAQuarterOfAnOctave() {
    SplittableRandom random = new SplittableRandom(1);
    for (long unit : new long[] {20_000, MILLISECOND, 3_000 * MILLISECOND}) {
      LatencyDigest digest = new LatencyDigest();
      long[] last = new long[500];
      for (int i = 0; i < last.length; i++) {
        last[i] = unit + random.nextLong(4 * unit);
        digest.add(last[i]);
      }
      Arrays.sort(last);
      long exact = last[last.length - 1 - last.length / 100];
      long told = digest.p99Nanos();
      assertTrue(told >= exact && told <= exact * 5 / 4 + 8_192, told + " for " + exact);
    }
  }

  @Test
  void tooFewAnswersSayNothing() {
    LatencyDigest digest = new LatencyDigest();
    for (int i = 1; i < LatencyDigest.MIN_ANSWERS; i++) {
      digest.add(MILLISECOND);
      assertEquals(-1, digest.p99Nanos());
    }
    digest.add(MILLISECOND);
    assertTrue(digest.p99Nanos() >= MILLISECOND);
  }

  @Test
  void oldLatenciesAreForgotten() {
    LatencyDigest digest = new LatencyDigest();
    for (int i = 0; i < 1_000; i++) {
      digest.add(500 * MILLISECOND);
    }
    for (int i = 0; i < 8_000; i++) {
      digest.add(MILLISECOND);
    }
    assertTrue(digest.p99Nanos() < 2 * MILLISECOND, digest.p99Nanos() + " ns");
  }

  /** By its own measure it would never be late. */
  @Test
  void aSlowOsdIsMeasuredByItsPeers() {
    ReadLatencies latencies = new ReadLatencies();
    assertEquals(-1, latencies.usualNanos(4_096));
    for (int i = 0; i < 2_000; i++) {
      for (int osd = 1; osd <= 6; osd++) {
        latencies.took(new OsdId(osd), 4_096, (osd == 3 ? 400 : 1) * MILLISECOND);
      }
    }
    assertTrue(latencies.usualNanos(4_096) < 2 * MILLISECOND);
    assertEquals(-1, latencies.usualNanos(1 << 20), "of large reads nothing is known");
    for (int i = 0; i < 2_000; i++) {
      latencies.took(new OsdId(1), 1 << 20, 20 * MILLISECOND);
    }
    assertTrue(latencies.usualNanos(1 << 20) >= 20 * MILLISECOND);
    assertTrue(latencies.usualNanos(256 << 10) >= 20 * MILLISECOND);
    assertTrue(latencies.usualNanos(4_096) < 2 * MILLISECOND);
  }
}
