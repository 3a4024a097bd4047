package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.commit.UnitBuffer;
import org.weft.protocol.layout.Layout;

/**
 * What is new in a stripe since its last part (P 5.3). That is the data units that have grown, from
 * the block on in which they have, and as much of every parity as that changes. Encoded once; its
 * values stay the same however often it is sent.
 */
final class StripePart {
  private static final int BLOCK_BYTES = Layout.BLOCK_BYTES;

  private final Layout layout;
  private final StripeBuffer stripe;
  private final long endBytes;
  private final boolean small;
  private final UnitPool pool;
  private final int firstUnit;
  private final int firstBlockBytes;
  private final int parityStart;
  private final int parityEnd;
  private final UnitBuffer[] data;
  private final UnitBuffer[] parity;
  private final ByteBuffer[] taken;

  /**
   * A part of a stripe; holds on to it.
   *
   * @param fromBytes of the stripe: what comes before was sent
   * @param toBytes what is filled now, more than that
   * @param small no parity, but copies of the first unit
   */
  StripePart(
      Layout layout,
      StripeBuffer stripe,
      long fromBytes,
      long toBytes,
      boolean small,
      UnitPool pool) {
    this.layout = layout;
    this.stripe = stripe;
    this.endBytes = toBytes;
    this.small = small;
    this.pool = pool;
    stripe.retain();
    this.firstUnit = (int) (fromBytes / layout.unitBytes());
    int lastUnit = (int) ((toBytes - 1) / layout.unitBytes());
    this.firstBlockBytes = (int) (fromBytes % layout.unitBytes()) / BLOCK_BYTES * BLOCK_BYTES;
    this.data = new UnitBuffer[layout.dataUnits()];
    for (int unit = firstUnit; unit <= lastUnit; unit++) {
      data[unit] = new UnitBuffer(stripe.slice(unit, startOf(unit), layout.unitBytes(), toBytes));
    }
    this.parity = new UnitBuffer[layout.parityUnits()];
    this.taken = new ByteBuffer[small ? 0 : layout.parityUnits()];
    boolean isOneUnit = firstUnit == lastUnit;
    this.parityStart = isOneUnit ? firstBlockBytes : 0;
    this.parityEnd = isOneUnit ? parityEndOf(lastUnit) : layout.unitBytes();
  }

  /** No data unit is longer than d_0, and P 4.1 needs no parity beyond the longest. */
  private int parityEndOf(int unit) {
    int end = startOf(unit) + data[unit].bytes().remaining();
    int blockEnd = (end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    return unit == 0 ? end : blockEnd;
  }

  /** Where the bytes of a data unit begin, in the unit. */
  private int startOf(int unit) {
    return unit == firstUnit ? firstBlockBytes : 0;
  }

  long stripe() {
    return stripe.stripe();
  }

  /** File length up to the part's end. */
  long eofBytes() {
    return stripe.stripe() * layout.stripeBytes() + endBytes;
  }

  /** Computes parity over units filled up with zeros, and all checksums. */
  void encode(ErasureCode code) {
    checksums(data);
    if (small) {
      java.util.Arrays.fill(parity, data[0]);
      return;
    }
    ByteBuffer[] units = new ByteBuffer[data.length];
    for (int unit = 0; unit < units.length; unit++) {
      units[unit] = stripe.slice(unit, parityStart, parityEnd, endBytes);
    }
    ByteBuffer[] parities = new ByteBuffer[parity.length];
    for (int j = 0; j < parity.length; j++) {
      taken[j] = pool.take(layout.unitBytes());
      parities[j] = taken[j].slice(0, parityEnd - parityStart);
      parity[j] = new UnitBuffer(parities[j]);
    }
    code.encode(units, parities);
    checksums(parity);
  }

  private static void checksums(UnitBuffer[] units) {
    for (UnitBuffer unit : units) {
      if (unit != null) {
        unit.computeChecksums();
      }
    }
  }

  /**
   * The new bytes in that role, or null if there are none.
   *
   * @param role i for d_i, -1 - j for P_j, as {@link Layout#roleOf} says
   */
  UnitBuffer unit(int role) {
    return role >= 0 ? data[role] : parity[-1 - role];
  }

  /** Where they begin, in the unit. */
  int startBytes(int role) {
    return role >= 0 ? startOf(role) : parityStart;
  }

  /** Gives the parity's memory back, and lets go of the stripe. */
  void release() {
    for (int j = 0; j < taken.length; j++) {
      if (taken[j] != null) {
        pool.give(taken[j]);
        taken[j] = null;
      }
    }
    stripe.release();
  }
}
