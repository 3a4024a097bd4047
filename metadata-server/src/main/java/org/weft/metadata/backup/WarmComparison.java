package org.weft.metadata.backup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.volume.state.WarmState;
import org.weft.protocol.id.Lsn;

/**
 * Compares a warm state with what an opening of its journal makes (P 6.3a). The live state must be
 * the same byte by byte in a snapshot, and so must the effects for redo.
 */
final class WarmComparison {
  private final String superuser;
  private final WarmVolume warm;
  private final Lsn redoFrom;

  /**
   * @param redoFrom older records need no redo
   */
  WarmComparison(String superuser, WarmVolume warm, Lsn redoFrom) {
    this.superuser = superuser;
    this.warm = warm;
    this.redoFrom = redoFrom;
  }

  /**
   * @throws IllegalStateException if the journal tells of something else
   */
  void requireEqual(JournalContents cold) {
    if (!cold.lastLsn().equals(warm.lastLsn())) {
      throw new IllegalStateException(
          "it ends at " + warm.lastLsn() + ", and the journal at " + cold.lastLsn());
    }
    WarmState made = WarmState.of(superuser, cold.liveState());
    cold.records().forEach(made::apply);
    List<LiveEffect> here = warm.state().snapshot();
    List<LiveEffect> there = made.snapshot();
    if (!sameBytes(here, there)) {
      throw new IllegalStateException(
          "its live state differs at " + warm.lastLsn() + ": " + difference(here, there));
    }
    List<JournalRecord> redo = objectsOf(cold.records());
    if (!objectsOf(warm.redo()).equals(redo)) {
      throw new IllegalStateException(
          "it has other records for redo from " + redoFrom + " on than the journal");
    }
  }

  private boolean sameBytes(List<LiveEffect> one, List<LiveEffect> other) {
    List<byte[]> bytes = JournalEntry.ofSnapshot(warm.lastLsn(), one).bodies();
    List<byte[]> others = JournalEntry.ofSnapshot(warm.lastLsn(), other).bodies();
    return Arrays.deepEquals(bytes.toArray(), others.toArray());
  }

  private static String difference(List<LiveEffect> warm, List<LiveEffect> cold) {
    List<LiveEffect> more = new ArrayList<>(warm);
    more.removeAll(cold);
    List<LiveEffect> less = new ArrayList<>(cold);
    less.removeAll(warm);
    return "only warm " + kinds(more) + ", only in the journal " + kinds(less);
  }

  /** Sessions have secrets, which no text shows. */
  private static List<String> kinds(List<LiveEffect> effects) {
    return effects.stream().map(effect -> effect.getClass().getSimpleName()).toList();
  }

  /** OSDs learn what is complete under a grant together with the file's attributes (P 5.4). */
  private static boolean isLaidOver(Effect effect) {
    return effect instanceof ObjectEffect
        || effect instanceof LiveEffect.GrantClosed closed && closed.completeUpTo() > 0;
  }

  private List<JournalRecord> objectsOf(List<JournalRecord> records) {
    List<JournalRecord> objects = new ArrayList<>();
    for (JournalRecord record : records) {
      var effects = record.effects().stream().filter(WarmComparison::isLaidOver).toList();
      if (!effects.isEmpty() && record.lsn().compareTo(redoFrom) >= 0) {
        objects.add(new JournalRecord(record.lsn(), effects));
      }
    }
    return objects;
  }
}
