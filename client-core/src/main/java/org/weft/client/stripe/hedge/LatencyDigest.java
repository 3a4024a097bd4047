package org.weft.client.stripe.hedge;

/**
 * Keeps how long the last few hundred answers of one OSD took. It counts in steps of a quarter of
 * an octave, and halves the counts now and then, so that old answers weigh little. Thread-safe.
 */
final class LatencyDigest {
  /** Fewer answers say nothing of the hundredth. */
  static final int MIN_ANSWERS = 16;

  private static final int MAX_ANSWERS = 1_024;
  private static final int STEPS_PER_OCTAVE = 4;
  private static final int OCTAVES = 24;
  private static final int MIN_OCTAVE_SHIFT = 13;

  private final short[] counts = new short[OCTAVES * STEPS_PER_OCTAVE];
  private int total;

  synchronized void add(long nanos) {
    counts[step(nanos)]++;
    if (++total == MAX_ANSWERS) {
      total = 0;
      for (int step = 0; step < counts.length; step++) {
        counts[step] = (short) (counts[step] / 2);
        total += counts[step];
      }
    }
  }

  /** In which nearly all answers came, rounded up to the step; -1 while too few have come. */
  synchronized long p99Nanos() {
    if (total < MIN_ANSWERS) {
      return -1;
    }
    int above = total / 100;
    for (int step = counts.length - 1; step > 0; step--) {
      above -= counts[step];
      if (above < 0) {
        return endOf(step);
      }
    }
    return endOf(0);
  }

  /** From 8 us on four steps to each power of two. */
  private static int step(long nanos) {
    long scaled = Math.max(1, nanos >> MIN_OCTAVE_SHIFT);
    int octave = 63 - Long.numberOfLeadingZeros(scaled);
    long inOctave = (Math.max(nanos, 1L << MIN_OCTAVE_SHIFT) >> (octave + 11)) & 3;
    return Math.min(octave * STEPS_PER_OCTAVE + (int) inOctave, OCTAVES * STEPS_PER_OCTAVE - 1);
  }

  private static long endOf(int step) {
    long start = 1L << (MIN_OCTAVE_SHIFT + step / STEPS_PER_OCTAVE);
    return start + (step % STEPS_PER_OCTAVE + 1) * (start / STEPS_PER_OCTAVE);
  }
}
