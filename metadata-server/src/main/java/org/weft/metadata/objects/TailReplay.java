package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * Redo of a journal's tail into an empty cache (P 6.3): starts each directory from the replica with the
 * lowest LSN, and leaves alone what the tail itself removes later. The lagging copies are as of the
 * tail's end from the beginning: what lags in the end may lack records that are not in the tail, and
 * what does not has caught up. Single-threaded.
 *
 * <pre>
 *   TailReplay replay = new TailReplay(cache, contents);
 *   Answer&lt;Boolean&gt; step = replay.run();     // Need: load, cache.loaded(...), run() again
 * </pre>
 */
public final class TailReplay {
  private final MetadataCache cache;
  private final List<JournalRecord> records;
  private final Map<ObjectId, Lsn> removals = new HashMap<>();
  private int next;
  private boolean ended;

  public TailReplay(MetadataCache cache, JournalContents contents) {
    this.cache = cache;
    this.records = contents.records();
    List<LiveEffect> live = new ArrayList<>(contents.liveState());
    for (JournalRecord record : records) {
      for (Effect effect : record.effects()) {
        if (effect instanceof LiveEffect one) {
          live.add(one);
        } else if (effect instanceof RemoveObject removal) {
          removals.put(removal.object(), record.lsn());
        }
      }
    }
    cache.beginReplay(live);
  }

  /**
   * Goes on from where it stopped. Ready(true): the whole tail is applied. Ready(false): too much waits
   * to be flushed, go on a little later. Need: load, then go on.
   */
  public Answer<Boolean> run() {
    while (next < records.size()) {
      if (!cache.directoriesHaveRoom()) {
        return Answer.ready(false);
      }
      JournalRecord record = records.get(next);
      Answer<Lsn> applied = cache.apply(stillNeeded(record));
      if (!applied.isReady()) {
        return Answer.need(applied.missing());
      }
      cache.replayed(record.lsn());
      next++;
    }
    if (!ended) {
      ended = true;
      cache.endReplay();
    }
    return Answer.ready(true);
  }

  private JournalRecord stillNeeded(JournalRecord record) {
    List<Effect> needed = new ArrayList<>();
    for (Effect effect : record.effects()) {
      boolean lags =
          effect instanceof LiveEffect.LaggingAdded || effect instanceof LiveEffect.LaggingCleared;
      if (!lags && !isRemovedLater(effect)) {
        needed.add(effect);
      }
    }
    return new JournalRecord(record.lsn(), needed);
  }

  private boolean isRemovedLater(Effect effect) {
    return effect instanceof ObjectEffect object
        && !(effect instanceof RemoveObject)
        && removals.containsKey(object.object());
  }
}
