package org.weft.metadata.scrub;

import java.util.List;
import java.util.Objects;
import org.weft.metadata.journal.ScrubEffect.Reached;

/**
 * How far the scrub of a volume's parity is. Immutable.
 *
 * @param on the scrub is running
 * @param contradicted files whose parity and data contradict each other now
 * @param waits a sentence on what it waits for; empty: it does not wait
 * @param words sentences on some contradicting files
 */
public record ScrubProgress(
    boolean on, Reached reached, long contradicted, String waits, List<String> words) {
  public static final ScrubProgress NONE =
      new ScrubProgress(false, Reached.NOTHING, 0, "", List.of());

  public ScrubProgress {
    Objects.requireNonNull(reached, "reached");
    Objects.requireNonNull(waits, "waits");
    words = List.copyOf(words);
  }
}
