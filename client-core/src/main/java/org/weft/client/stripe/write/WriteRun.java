package org.weft.client.stripe.write;

import java.util.ArrayList;
import java.util.List;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.commit.StripeWrite;
import org.weft.client.stripe.commit.UnitBuffer;
import org.weft.protocol.layout.Layout;

/**
 * Parts of consecutive stripes that are written together: one WRITE for each component, whose units
 * of these stripes lie one behind the other (P 5.3). A run stays inside one round of one parity
 * group, and all its stripes are whole. A part of a stripe is a run of its own.
 *
 * <p>Filled by the writer, then sent. Its memory is given back when neither the run itself, nor a
 * WRITE, nor the transport holds on to it any more.
 */
final class WriteRun implements StripeWrite {
  private final Layout layout;
  private final boolean durable;
  private final boolean abortable;
  private final long leastEofBytes;
  private final List<StripePart> parts = new ArrayList<>();
  private final References references;

  /**
   * A run of a stream, empty still.
   *
   * @param freed runs when its memory has been given back
   */
  WriteRun(Layout layout, boolean durable, Runnable freed) {
    this(layout, durable, false, 0, freed);
  }

  /**
   * A run of an update, empty still: it may fail alone, undone as a whole.
   *
   * @param leastEofBytes length of the file before
   */
  static WriteRun ofUpdate(Layout layout, long leastEofBytes) {
    return new WriteRun(layout, false, true, leastEofBytes, () -> {});
  }

  private WriteRun(
      Layout layout, boolean durable, boolean abortable, long leastEofBytes, Runnable freed) {
    this.layout = layout;
    this.durable = durable;
    this.abortable = abortable;
    this.leastEofBytes = leastEofBytes;
    this.references =
        new References(
            () -> {
              parts.forEach(StripePart::release);
              freed.run();
            });
  }

  /** Adds the part of the next stripe, to be encoded before the run is sent. */
  void add(StripePart part) {
    parts.add(part);
  }

  @Override
  public int seqCount() {
    return parts.size();
  }

  @Override
  public boolean isDurable() {
    return durable;
  }

  @Override
  public boolean isAbortable() {
    return abortable;
  }

  private StripePart first() {
    return parts.get(0);
  }

  @Override
  public long eofBytes() {
    return Math.max(leastEofBytes, parts.get(parts.size() - 1).eofBytes());
  }

  @Override
  public long offsetBytes(int component) {
    int role = layout.roleOf(first().stripe(), component);
    return layout.componentOffsetBytes(first().stripe()) + first().startBytes(role);
  }

  @Override
  public List<Integer> participants() {
    List<Integer> participants = new ArrayList<>();
    int firstOfGroup = layout.groupOf(first().stripe()) * layout.width();
    for (int component = firstOfGroup; component < firstOfGroup + layout.width(); component++) {
      if (!units(component).isEmpty()) {
        participants.add(component);
      }
    }
    return participants;
  }

  @Override
  public List<UnitBuffer> units(int component) {
    if (component / layout.width() != layout.groupOf(first().stripe())) {
      return new ArrayList<>();
    }
    List<UnitBuffer> units = new ArrayList<>(parts.size());
    for (StripePart part : parts) {
      UnitBuffer unit = part.unit(layout.roleOf(part.stripe(), component));
      if (unit != null) {
        units.add(unit);
      }
    }
    return units;
  }

  @Override
  public void retain() {
    references.retain();
  }

  @Override
  public void release() {
    references.release();
  }
}
