package org.weft.client.stripe.base;

import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.protocol.layout.Layout;

/**
 * How much memory and patience streams have.
 *
 * @param windowBytes of one writer: stripes being filled or not yet acknowledged, parity included
 * @param runBytes aimed at for one WRITE: the units of consecutive stripes of one component
 * @param poolBytes of all streams together; past it a stream still gets one stripe at a time
 * @param writeAttemptMillis how long one WRITE may take
 * @param writeDeadlineMillis how long a WRITE is repeated, and the manager asked to do without its
 *     component, before the file is given up
 * @param doubtMillis how long a component must fail before the manager is asked to do without it
 * @param readAttemptMillis how long one READ may take before its unit is decoded from others
 * @param readDeadlineMillis how long lost units are tried again before a read fails
 * @param readAheadBytes that a sequential reader fetches ahead at most
 * @param sliceBytes aimed at for the part of a read that is planned at once
 * @param slicesInFlight of one read at the same time
 * @param suspicionMillis how long an OSD that failed is avoided, at first; doubles up to eight
 *     times
 * @param hedges when a late unit is rebuilt instead of waited for
 */
public record StripeOptions(
    long windowBytes,
    int runBytes,
    long poolBytes,
    int writeAttemptMillis,
    int writeDeadlineMillis,
    int doubtMillis,
    int readAttemptMillis,
    int readDeadlineMillis,
    int readAheadBytes,
    int sliceBytes,
    int slicesInFlight,
    int suspicionMillis,
    HedgeLimits hedges) {
  /** Largest window of any writer: bytes that it may have sent and that are not acknowledged. */
  public static final long MAX_WINDOW_BYTES = 64 << 20;

  /**
   * How long a request in the background may take. At an OSD it waits behind clients and behind the
   * pauses that leave them their share.
   */
  private static final int BACKGROUND_MILLIS = 60_000;

  private static final long MEBIBYTE = 1 << 20;
  private static final long MAX_POOL_BYTES = 256 * MEBIBYTE;

  public StripeOptions {
    positive("windowBytes", windowBytes);
    if (windowBytes > MAX_WINDOW_BYTES) {
      throw new IllegalArgumentException(
          "windowBytes must be at most " + MAX_WINDOW_BYTES + ", got " + windowBytes);
    }
    positive("runBytes", runBytes);
    positive("poolBytes", poolBytes);
    positive("writeAttemptMillis", writeAttemptMillis);
    positive("writeDeadlineMillis", writeDeadlineMillis);
    positive("doubtMillis", doubtMillis);
    positive("readAttemptMillis", readAttemptMillis);
    positive("readDeadlineMillis", readDeadlineMillis);
    positive("readAheadBytes", readAheadBytes);
    positive("sliceBytes", sliceBytes);
    positive("slicesInFlight", slicesInFlight);
    positive("suspicionMillis", suspicionMillis);
  }

  /** Consecutive stripes that one WRITE of a component takes, as far as the window bears them. */
  public int stripesPerRun(Layout layout) {
    long stripeMemoryBytes = (long) layout.width() * layout.unitBytes();
    long fitting = windowBytes / (4 * stripeMemoryBytes);
    return (int) Math.max(1, Math.min(runBytes / layout.unitBytes(), fitting));
  }

  private static void positive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive, got " + value);
    }
  }

  /** Windows of 32 MiB, a pool of at most a quarter of what the JVM may use. */
  public static StripeOptions defaults() {
    long poolBytes = Math.min(MAX_POOL_BYTES, Runtime.getRuntime().maxMemory() / 4);
    return new StripeOptions(
        32 * MEBIBYTE,
        (int) MEBIBYTE,
        poolBytes,
        10_000,
        30_000,
        1_000,
        5_000,
        15_000,
        (int) (16 * MEBIBYTE),
        (int) (4 * MEBIBYTE),
        4,
        10_000,
        HedgeLimits.defaults());
  }

  /** The same with another window and pool. */
  public StripeOptions withMemory(long newWindowBytes, int newRunBytes, long newPoolBytes) {
    return new StripeOptions(
        newWindowBytes,
        newRunBytes,
        newPoolBytes,
        writeAttemptMillis,
        writeDeadlineMillis,
        doubtMillis,
        readAttemptMillis,
        readDeadlineMillis,
        readAheadBytes,
        sliceBytes,
        slicesInFlight,
        suspicionMillis,
        hedges);
  }

  /** The same with other sizes of reads. */
  public StripeOptions withReads(int newReadAheadBytes, int newSliceBytes, int newSlicesInFlight) {
    return new StripeOptions(
        windowBytes,
        runBytes,
        poolBytes,
        writeAttemptMillis,
        writeDeadlineMillis,
        doubtMillis,
        readAttemptMillis,
        readDeadlineMillis,
        newReadAheadBytes,
        newSliceBytes,
        newSlicesInFlight,
        suspicionMillis,
        hedges);
  }

  /** The same with another patience with OSDs that do not take writes. */
  public StripeOptions withWriteDeadline(int newWriteDeadlineMillis) {
    return new StripeOptions(
        windowBytes,
        runBytes,
        poolBytes,
        Math.min(writeAttemptMillis, newWriteDeadlineMillis),
        newWriteDeadlineMillis,
        doubtMillis,
        readAttemptMillis,
        readDeadlineMillis,
        readAheadBytes,
        sliceBytes,
        slicesInFlight,
        suspicionMillis,
        hedges);
  }

  /**
   * The same for what waits in the background: it is patient with OSDs that serve clients first.
   */
  public StripeOptions forBackground() {
    return new StripeOptions(
        windowBytes,
        runBytes,
        poolBytes,
        Math.max(writeAttemptMillis, BACKGROUND_MILLIS),
        Math.max(writeDeadlineMillis, BACKGROUND_MILLIS),
        doubtMillis,
        Math.max(readAttemptMillis, BACKGROUND_MILLIS),
        Math.max(readDeadlineMillis, BACKGROUND_MILLIS),
        readAheadBytes,
        sliceBytes,
        slicesInFlight,
        suspicionMillis,
        hedges);
  }

  /** The same with other hedged reads. */
  public StripeOptions withHedges(HedgeLimits newHedges) {
    return new StripeOptions(
        windowBytes,
        runBytes,
        poolBytes,
        writeAttemptMillis,
        writeDeadlineMillis,
        doubtMillis,
        readAttemptMillis,
        readDeadlineMillis,
        readAheadBytes,
        sliceBytes,
        slicesInFlight,
        suspicionMillis,
        newHedges);
  }
}
