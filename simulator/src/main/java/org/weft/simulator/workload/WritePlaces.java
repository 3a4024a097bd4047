package org.weft.simulator.workload;

import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.client.LayoutSpec;

/** Where in a file a hand writes, and how much: drawn so that borders are met often. */
final class WritePlaces {
  static final int BLOCK_BYTES = 4096;
  static final int SMALL_BYTES = 600;

  private static final int MAX_STRIPES = 8;
  private static final int MAX_HOT_STRIPES = 2;
  private static final int MAX_TOGETHER = 6;

  private final RandomGenerator random;
  private final Geometry geometry;

  WritePlaces(RandomGenerator random, Geometry geometry) {
    this.random = random;
    this.geometry = geometry;
  }

  /** Takes bytes of a file that are written together. */
  @FunctionalInterface
  interface Taker {
    void take(long fromBytes, int lengthBytes);
  }

  int stripeBytes() {
    return geometry.stripeBytes();
  }

  /** No file grows much beyond that, in bytes. */
  long most() {
    return (long) (geometry.has(WorkloadBias.HOT) ? MAX_HOT_STRIPES : MAX_STRIPES) * stripeBytes();
  }

  /** Anywhere up to there, often at a border of blocks. */
  long position(long most) {
    long position = random.nextLong(most + 1);
    return random.nextBoolean() ? position : position / BLOCK_BYTES * BLOCK_BYTES;
  }

  int length() {
    return switch (random.nextInt(4)) {
      case 0 -> 1 + random.nextInt(SMALL_BYTES);
      case 1 -> BLOCK_BYTES * (1 + random.nextInt(4));
      case 2 -> 1 + random.nextInt(stripeBytes());
      default -> 1 + random.nextInt(5 * stripeBytes() / 2);
    };
  }

  /** Up to where a unit ends, a little less, or a little more; or just anything. */
  int toBorder(long sizeBytes) {
    if (random.nextInt(3) == 0) {
      return random.nextBoolean() ? 1 + random.nextInt(SMALL_BYTES) : length();
    }
    int unitBytes = geometry.layouts().get(0).unitBytes();
    int left = (int) (unitBytes - sizeBytes % unitBytes);
    int more = left + random.nextInt(3) - 1;
    return Math.max(1, more);
  }

  /** Several places within the file: mostly the same place of units of one stripe. */
  void inOneStripe(long sizeBytes, Taker taker) {
    List<LayoutSpec> layouts = geometry.layouts();
    LayoutSpec layout = layouts.get(random.nextInt(layouts.size()));
    long stripeBytes = (long) layout.dataUnits() * layout.unitBytes();
    long stripe = random.nextLong(sizeBytes) / stripeBytes * stripeBytes;
    int inUnit = random.nextInt(layout.unitBytes() / BLOCK_BYTES) * BLOCK_BYTES;
    int most = 1 + random.nextInt(layout.unitBytes() - inUnit);
    for (int count = 2 + random.nextInt(MAX_TOGETHER - 1); count > 0; count--) {
      long from = stripe + (long) random.nextInt(layout.dataUnits()) * layout.unitBytes() + inUnit;
      int length = (int) Math.min(most, sizeBytes - from);
      if (length > 0) {
        taker.take(from, length);
      }
    }
  }
}
