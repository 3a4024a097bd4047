package org.weft.metadata.objects.flush;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.objects.cache.LaggingCopies;
import org.weft.metadata.objects.cache.LaggingCopies.Lag;

/**
 * Has the volume journal which copies lag and which do not any more, strictly one record after
 * another. So an older record never clears a copy that has fallen behind again. Confined to the
 * volume's thread.
 */
final class LagJournal {
  /** Keeps a record far below its limit. */
  private static final int EFFECTS_PER_RECORD = 2_000;

  /** A change to be journalled: exactly one of the two is not null. */
  private record Request(LaggingAdded added, Lag cleared) {}

  /** A change on its way. It is done when the copy's entry is not what it was before. */
  private record Sent(LaggingAdded about, Lag before) {}

  private final LaggingCopies lagging;
  private final FlushOwner owner;
  private final Deque<Request> queue = new ArrayDeque<>();
  private final List<Sent> underWay = new ArrayList<>();

  LagJournal(LaggingCopies lagging, FlushOwner owner) {
    this.lagging = lagging;
    this.owner = owner;
  }

  /** From now on the copy is left out, and soon the journal says so. */
  void added(LaggingAdded effect) {
    lagging.suspect(effect);
    queue.add(new Request(effect, null));
  }

  /** The copy holds everything that it lagged behind with, unless it has fallen behind again. */
  void cleared(Lag lag) {
    queue.add(new Request(null, lag));
  }

  /** To be called after requests, and when records have been applied. */
  void pump() {
    underWay.removeIf(this::isApplied);
    if (!underWay.isEmpty() || queue.isEmpty()) {
      return;
    }
    List<LiveEffect> effects = new ArrayList<>();
    while (!queue.isEmpty() && effects.size() < EFFECTS_PER_RECORD) {
      Request next = queue.removeFirst();
      LaggingAdded about = next.added() != null ? next.added() : next.cleared().effect();
      Lag before = lagging.find(about.osd(), about.object());
      if (next.added() != null) {
        effects.add(about);
        underWay.add(new Sent(about, before));
      } else if (before == next.cleared() && !isUnderWay(about)) {
        effects.add(new LaggingCleared(about.osd(), about.object()));
        underWay.add(new Sent(about, before));
      }
    }
    if (!effects.isEmpty()) {
      owner.journal(List.copyOf(effects));
    }
  }

  private boolean isUnderWay(LaggingAdded about) {
    return underWay.stream()
        .anyMatch(
            sent ->
                sent.about().osd().equals(about.osd())
                    && sent.about().object().equals(about.object()));
  }

  private boolean isApplied(Sent sent) {
    return lagging.find(sent.about().osd(), sent.about().object()) != sent.before();
  }

  /** Everything asked for has been applied; it need not be durable. */
  boolean isIdle() {
    underWay.removeIf(this::isApplied);
    return queue.isEmpty() && underWay.isEmpty();
  }
}
