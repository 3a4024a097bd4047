package org.weft.client.stripe;

import java.nio.ByteBuffer;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;

/**
 * One stripe of a file that is being written: filled from its start, then encoded, then sent. Units
 * take memory when their first byte comes. Not thread-safe; handed from one step to the next.
 */
final class StripeBuffer {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Layout layout;
  private final long stripe;
  private final UnitPool pool;
  private final UnitBuffer[] data;
  private final UnitBuffer[] parity;
  private long filledBytes;

  StripeBuffer(Layout layout, long stripe, UnitPool pool) {
    this.layout = layout;
    this.stripe = stripe;
    this.pool = pool;
    this.data = new UnitBuffer[layout.dataUnits()];
    this.parity = new UnitBuffer[layout.parityUnits()];
  }

  long stripe() {
    return stripe;
  }

  long filledBytes() {
    return filledBytes;
  }

  boolean isFull() {
    return filledBytes == layout.stripeBytes();
  }

  /**
   * Copies what fits, and says how much that was: the only copy that Weft makes of written bytes.
   */
  long fill(ByteBuffer from) {
    long before = filledBytes;
    while (from.hasRemaining() && !isFull()) {
      int index = (int) (filledBytes / layout.unitBytes());
      if (data[index] == null) {
        data[index] = new UnitBuffer(pool.take(layout.unitBytes()).limit(0));
      }
      ByteBuffer unit = data[index].bytes();
      int at = unit.limit();
      int count = Math.min(from.remaining(), layout.unitBytes() - at);
      unit.limit(at + count);
      unit.put(at, from, from.position(), count);
      from.position(from.position() + count);
      filledBytes += count;
    }
    return filledBytes - before;
  }

  /** Computes parity over units filled up with zeros, and all checksums. */
  void encode(ErasureCode code) {
    ByteBuffer[] units = new ByteBuffer[data.length];
    for (int i = 0; i < data.length; i++) {
      units[i] = data[i] == null ? NOTHING : data[i].bytes();
    }
    // No data unit is longer than d_0, and P 4.1 needs no parity beyond the longest.
    int parityBytes = units[0].remaining();
    ByteBuffer[] parities = new ByteBuffer[parity.length];
    for (int j = 0; j < parity.length; j++) {
      parity[j] = new UnitBuffer(pool.take(layout.unitBytes()).limit(parityBytes));
      parities[j] = parity[j].bytes();
    }
    code.encode(units, parities);
    checksums(data);
    checksums(parity);
  }

  /** Checksums alone: a small file has mirrors, not parity (P 4.2). */
  void computeChecksumsOfData() {
    checksums(data);
  }

  private static void checksums(UnitBuffer[] units) {
    for (UnitBuffer unit : units) {
      if (unit != null) {
        unit.computeChecksums();
      }
    }
  }

  /**
   * The unit in that role, or null if there is none.
   *
   * @param role i for d_i, -1 - j for P_j, as {@link Layout#roleOf} says
   */
  UnitBuffer unit(int role) {
    return role >= 0 ? data[role] : parity[-1 - role];
  }

  /** Gives all memory back. */
  void release() {
    release(data);
    release(parity);
  }

  private void release(UnitBuffer[] units) {
    for (int i = 0; i < units.length; i++) {
      if (units[i] != null) {
        pool.give(units[i].bytes());
        units[i] = null;
      }
    }
  }
}
