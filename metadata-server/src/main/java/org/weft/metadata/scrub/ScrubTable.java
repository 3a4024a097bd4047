package org.weft.metadata.scrub;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.protocol.id.ObjectId;

/**
 * State of the scrub of parity in the journal: how far it is, and what it has found (P 6.8f).
 * Single-threaded.
 */
public final class ScrubTable {
  private final TreeMap<ObjectId, Contradicted> contradicted = new TreeMap<>();
  private Reached reached = Reached.NOTHING;

  /** How far it was when that was recorded last. */
  public Reached reached() {
    return reached;
  }

  /** Files whose parity and data contradict each other. */
  public SortedMap<ObjectId, Contradicted> contradicted() {
    return Collections.unmodifiableSortedMap(contradicted);
  }

  /** Applies a journalled change. */
  public void apply(ScrubEffect effect) {
    if (effect instanceof Reached now) {
      reached = now;
    } else if (effect instanceof Contradicted named) {
      if (named.units() == 0) {
        contradicted.remove(named.object());
      } else {
        contradicted.put(named.object(), named);
      }
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  /** All of it as effects: part of a snapshot of live state. */
  public List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>(contradicted.values());
    if (!reached.equals(Reached.NOTHING)) {
      effects.add(reached);
    }
    return effects;
  }
}
