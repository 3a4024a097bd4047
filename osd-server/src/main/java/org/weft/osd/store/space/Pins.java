package org.weft.osd.store.space;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Keeps blocks that are still read from being used again (P 5.2). A reader takes a pin on
 * everything before it looks up where its bytes are. Then it narrows the pin to what it found, and
 * releases it when the bytes have left. Blocks that are retired while pinned are freed with the
 * last pin on them. Thread-safe.
 */
public final class Pins {
  private final Consumer<BlockRange> free;
  private final Set<Pin> active = new LinkedHashSet<>();

  /**
   * @param free takes blocks that are not read any more; called without a lock held
   */
  public Pins(Consumer<BlockRange> free) {
    this.free = free;
  }

  /** A pin on all blocks: hold it for a lookup, no longer. */
  public Pin everything() {
    Pin pin = new Pin();
    synchronized (this) {
      active.add(pin);
    }
    return pin;
  }

  /** Frees the blocks now, or when the pins on them end. No extent may lead to them any more. */
  public void retire(List<BlockRange> ranges) {
    List<BlockRange> unpinned = new ArrayList<>(ranges.size());
    synchronized (this) {
      for (BlockRange range : ranges) {
        if (!deferred(range)) {
          unpinned.add(range);
        }
      }
    }
    unpinned.forEach(free);
  }

  /** How many pins are held. */
  public synchronized int held() {
    return active.size();
  }

  private boolean deferred(BlockRange range) {
    for (Pin pin : active) {
      if (pin.holds(range)) {
        pin.waiting.add(range);
        return true;
      }
    }
    return false;
  }

  /** A reader's hold on blocks. */
  public final class Pin {
    // Null: everything.
    private List<BlockRange> ranges;
    private List<BlockRange> waiting = new ArrayList<>();

    private Pin() {}

    /** From now on only these. */
    public void narrow(List<BlockRange> only) {
      List<BlockRange> again;
      synchronized (Pins.this) {
        ranges = List.copyOf(only);
        again = waiting;
        waiting = new ArrayList<>();
      }
      retire(again);
    }

    /** Ends the hold; more calls do nothing. */
    public void release() {
      List<BlockRange> again;
      synchronized (Pins.this) {
        if (!active.remove(this)) {
          return;
        }
        again = waiting;
        waiting = new ArrayList<>();
      }
      retire(again);
    }

    private boolean holds(BlockRange range) {
      if (ranges == null) {
        return true;
      }
      for (BlockRange held : ranges) {
        if (held.overlaps(range)) {
          return true;
        }
      }
      return false;
    }
  }
}
