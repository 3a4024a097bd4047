package org.weft.client.stripe.read;

/**
 * Learns a stream's pattern from its reads and seeks, and says how far ahead to fetch. Between two
 * seeks there is a <em>run</em>, read in order. Twice the bytes of the run are foreseen behind it,
 * so that never more is fetched in vain than was of use. Runs that begin at equal distances are a
 * stride, foreseen as such in either direction; where nothing lies between them it is one read
 * backward. Pure computing; not thread-safe.
 */
final class AccessPattern {
  /** A reader at the beginning of a file is likely to go on. */
  static final long FIRST_BYTES = 64 << 10;

  /** To skip so little is to go on: reading it costs less than another request. */
  private static final long GAP_BYTES = 16 << 10;

  /** Equal distances between runs before a third one is believed in. */
  private static final int EQUAL_DISTANCES = 2;

  private static final int MAX_STRIDES_AHEAD = 32;
  private static final long SEQUENTIAL_BYTES = 1 << 20;

  private final ExpectedPattern expected;
  private long mostBytes;

  /** Nothing has been read before the run. */
  private boolean first = true;

  private long runStart;
  private long runEnd;
  private long lastRunBytes;
  private long distance;
  private int equalDistances;

  /**
   * A pattern yet to be found out.
   *
   * @param mostBytes foreseen at most
   */
  AccessPattern(ExpectedPattern expected, long mostBytes, long startBytes) {
    this.expected = expected;
    this.mostBytes = mostBytes;
    this.runStart = startBytes;
    this.runEnd = startBytes;
  }

  /** No more than so many bytes are foreseen from now on; 0: nothing. */
  void foreseeAtMost(long bytes) {
    mostBytes = bytes;
  }

  /** So many bytes were taken from the position. */
  void read(int count) {
    runEnd += count;
  }

  /** The reader goes to another position. */
  void seek(long toBytes) {
    long skipped = toBytes - runEnd;
    if (runEnd > runStart && (skipped < 0 || skipped > GAP_BYTES)) {
      first = false;
      long from = runStart;
      lastRunBytes = runEnd - runStart;
      runStart = toBytes;
      equalDistances = toBytes - from == distance ? equalDistances + 1 : 1;
      distance = toBytes - from;
    } else if (runEnd == runStart) {
      // Nothing was read there: as if the reader had never been.
      if (!first) {
        distance += toBytes - runStart;
        equalDistances = 0;
      }
      runStart = toBytes;
    }
    runEnd = toBytes;
  }

  /** How many bytes are foreseen behind the next read. */
  long aheadBytes() {
    if (expected == ExpectedPattern.RANDOM || isStrided()) {
      return 0;
    }
    if (expected == ExpectedPattern.WHOLE) {
      return mostBytes;
    }
    long runBytes = runEnd - runStart;
    long least =
        expected == ExpectedPattern.SEQUENTIAL ? SEQUENTIAL_BYTES : first ? FIRST_BYTES : 0;
    return Math.min(mostBytes, Math.max(least, 2 * runBytes));
  }

  /** True if the next runs are foreseen at equal distances from this one. */
  boolean isStrided() {
    return expected == ExpectedPattern.ADAPTIVE
        && equalDistances >= EQUAL_DISTANCES
        && distance != 0
        && runEnd - runStart <= lastRunBytes;
  }

  /** True if they lie one before the other: then what lies before this one is foreseen. */
  boolean isBackward() {
    return isStrided() && distance < 0 && -distance <= lastRunBytes + GAP_BYTES;
  }

  /** How many bytes before this run are foreseen, if it goes backward. */
  long behindBytes() {
    long known = -distance * (equalDistances + 1);
    return isBackward() ? Math.min(mostBytes, Math.max(FIRST_BYTES, 2 * known)) : 0;
  }

  /** Where this run begins. */
  long runStart() {
    return runStart;
  }

  /** From the beginning of one run to that of the next. */
  long distance() {
    return distance;
  }

  /** How long the next runs are likely to be, and this one. */
  long strideBytes() {
    return lastRunBytes;
  }

  /** How many of the next runs are foreseen one by one. */
  int stridesAhead() {
    if (!isStrided() || isBackward() || mostBytes == 0) {
      return 0;
    }
    long fitting = Math.max(1, mostBytes / Math.max(1, lastRunBytes));
    long known = 2L << Math.min(equalDistances - EQUAL_DISTANCES, 16);
    return (int) Math.min(Math.min(known, fitting), MAX_STRIDES_AHEAD);
  }
}
