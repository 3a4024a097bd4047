package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.base.Zeros;
import org.weft.client.stripe.commit.StripeWrite;
import org.weft.client.stripe.commit.UnitBuffer;
import org.weft.protocol.layout.Layout;

/**
 * A stripe write of some columns of one stripe (P 5.3): what all data units, old bytes and new, and
 * all parities will hold there. Computed once; only the changed blocks of data are sent.
 *
 * <p>Its memory is given back when neither the update, nor a WRITE, nor the transport holds on to
 * it any more.
 */
final class StripeValues implements StripeWrite {
  private final StripeSpan span;
  private final Layout layout;
  private final Establishes establishes;
  private final boolean durable;
  private final ColumnBuffers memory;
  private final ByteBuffer[] data;
  private final ByteBuffer[] parity;
  private final SortedMap<Integer, Part> parts = new TreeMap<>();

  /** What one component gets, and where it goes there. */
  private record Part(long offsetBytes, UnitBuffer unit) {}

  /**
   * What components know of the file once they have the write (P 4.3).
   *
   * @param truncationNumber empty if the file is not cut by it
   */
  record Establishes(long eofBytes, OptionalInt truncationNumber) {}

  /**
   * Values to be filled and encoded.
   *
   * @param durable on stable storage before it is acknowledged
   * @param freed runs once the memory is not needed any more: at most that of a stripe; also if
   *     there is none to be had
   */
  StripeValues(
      StripeSpan span, UnitPool pool, Establishes establishes, boolean durable, Runnable freed) {
    this.span = span;
    this.durable = durable;
    this.layout = span.layout();
    this.establishes = establishes;
    this.memory = new ColumnBuffers(span, pool, freed);
    try {
      this.data = memory.take(layout.dataUnits());
      this.parity = memory.take(layout.parityUnits());
    } catch (RuntimeException | Error e) {
      memory.release();
      throw e;
    }
  }

  StripeSpan span() {
    return span;
  }

  /** The columns of a data unit, to be filled. */
  ByteBuffer data(int unit) {
    return data[unit];
  }

  /** Lays new bytes over what the changed units hold; {@code changed} begins with the span. */
  void overlay(ByteBuffer changed) {
    for (int unit = 0; unit < data.length; unit++) {
      if (span.changes(unit)) {
        int at = unit * layout.unitBytes() + span.startIn(unit) - span.fromBytes();
        int count = span.endIn(unit) - span.startIn(unit);
        data[unit].put(span.startIn(unit) - span.columnsStart(), changed, at, count);
      }
    }
  }

  /** Makes the changed bytes zeros. */
  void overlayZeros() {
    for (int unit = 0; unit < data.length; unit++) {
      if (span.changes(unit)) {
        int count = span.endIn(unit) - span.startIn(unit);
        Zeros.fill(data[unit], span.startIn(unit) - span.columnsStart(), count);
      }
    }
  }

  /** Computes the parities, and all checksums. */
  void encode(ErasureCode code) {
    if (layout.parityUnits() > 0) {
      code.encode(data, parity);
    }
    long start = layout.componentOffsetBytes(span.stripe());
    for (int unit = 0; unit < data.length; unit++) {
      if (span.changes(unit)) {
        int from = span.firstBlockIn(unit);
        ByteBuffer blocks =
            data[unit].slice(from - span.columnsStart(), span.endBlockIn(unit) - from);
        put(layout.dataComponent(span.stripe(), unit), start + from, blocks);
      }
    }
    for (int j = 0; j < parity.length; j++) {
      put(layout.parityComponent(span.stripe(), j), start + span.columnsStart(), parity[j]);
    }
  }

  private void put(int component, long offsetBytes, ByteBuffer blocks) {
    UnitBuffer unit = new UnitBuffer(blocks);
    unit.computeChecksums();
    parts.put(component, new Part(offsetBytes, unit));
  }

  @Override
  public int seqCount() {
    return 1;
  }

  @Override
  public boolean isAbortable() {
    return true;
  }

  @Override
  public boolean isDurable() {
    return durable;
  }

  @Override
  public long eofBytes() {
    return establishes.eofBytes();
  }

  @Override
  public int truncationNumber(StripeGrant grant) {
    return establishes.truncationNumber().orElse(grant.truncationNumber());
  }

  @Override
  public List<Integer> participants() {
    return List.copyOf(parts.keySet());
  }

  @Override
  public long offsetBytes(int component) {
    return parts.get(component).offsetBytes();
  }

  @Override
  public List<UnitBuffer> units(int component) {
    Part part = parts.get(component);
    return part == null ? List.of() : List.of(part.unit());
  }

  @Override
  public void retain() {
    memory.retain();
  }

  @Override
  public void release() {
    memory.release();
  }
}
