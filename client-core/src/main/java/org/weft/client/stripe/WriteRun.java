package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;

/**
 * Consecutive stripes that are written together: one WRITE for each component, whose units of these
 * stripes lie one behind the other (P 5.3). A run stays inside one round of one parity group, and
 * all its stripes have the same participants: a stripe that is not full is a run of its own.
 *
 * <p>Filled by the writer, encoded by the executor, then sent. Its memory is given back when
 * neither the run itself, nor a WRITE, nor the transport holds on to it any more.
 */
final class WriteRun {
  private final Layout layout;
  private final boolean small;
  private final List<StripeBuffer> stripes = new ArrayList<>();
  private final long memoryBytesPerStripe;
  private final Consumer<Long> memoryFreed;

  /** Stripes not yet encoded, and one until the run is sealed. */
  private final AtomicInteger unready = new AtomicInteger(1);

  private final AtomicInteger references = new AtomicInteger(1);

  /** A run that is empty still. {@code memoryFreed} hears how many bytes came back in the end. */
  WriteRun(Layout layout, boolean small, long memoryBytesPerStripe, Consumer<Long> memoryFreed) {
    this.layout = layout;
    this.small = small;
    this.memoryBytesPerStripe = memoryBytesPerStripe;
    this.memoryFreed = memoryFreed;
  }

  /** Adds the next stripe, which must still be encoded. */
  void add(StripeBuffer stripe) {
    unready.incrementAndGet();
    stripes.add(stripe);
  }

  /** Computes what a stripe of this run needs; true if the run can be sent now. */
  boolean encode(StripeBuffer stripe, ErasureCode code) {
    if (small) {
      stripe.computeChecksumsOfData();
    } else {
      stripe.encode(code);
    }
    return unready.decrementAndGet() == 0;
  }

  /** Nothing more will be added; true if the run can be sent now. */
  boolean seal() {
    return unready.decrementAndGet() == 0;
  }

  int stripeCount() {
    return stripes.size();
  }

  long firstStripe() {
    return stripes.get(0).stripe();
  }

  int group() {
    return layout.groupOf(firstStripe());
  }

  boolean isSmall() {
    return small;
  }

  /** Stripes count from 0, sequence numbers from 1: each stripe is written once, in order. */
  long firstSeq() {
    return firstStripe() + 1;
  }

  long lastSeq() {
    return firstStripe() + stripes.size();
  }

  /** File length that this run establishes. */
  long eofBytes() {
    StripeBuffer last = stripes.get(stripes.size() - 1);
    return last.stripe() * layout.stripeBytes() + last.filledBytes();
  }

  long componentOffsetBytes() {
    return layout.componentOffsetBytes(firstStripe());
  }

  /** Indexes, in the file's map, of the components that hold something of the run; ascending. */
  List<Integer> participants() {
    List<Integer> participants = new ArrayList<>();
    int firstOfGroup = group() * layout.width();
    for (int component = firstOfGroup; component < firstOfGroup + layout.width(); component++) {
      if (!unitsOf(component).isEmpty()) {
        participants.add(component);
      }
    }
    return participants;
  }

  /** What a component of the run's group gets, in order; empty if it holds nothing of the run. */
  List<UnitBuffer> unitsOf(int component) {
    if (small) {
      return component <= layout.parityUnits()
          ? List.of(stripes.get(0).unit(0))
          : Collections.emptyList();
    }
    List<UnitBuffer> units = new ArrayList<>(stripes.size());
    for (StripeBuffer stripe : stripes) {
      UnitBuffer unit = stripe.unit(layout.roleOf(stripe.stripe(), component));
      if (unit != null) {
        units.add(unit);
      }
    }
    return units;
  }

  /** Keeps the memory until {@link #release} has been called once more. */
  void retain() {
    references.incrementAndGet();
  }

  void release() {
    if (references.decrementAndGet() == 0) {
      stripes.forEach(StripeBuffer::release);
      memoryFreed.accept(memoryBytesPerStripe * stripes.size());
    }
  }
}
