package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.protocol.id.ObjectId;

/**
 * Files that have lost bytes, and a sentence on each (P 5.9): live state, changed by effects alone.
 * Pure, confined to the volume's thread.
 */
final class DamagedFileTable {
  private final TreeMap<ObjectId, FileDamaged> files = new TreeMap<>();

  /** Applies an effect; said again it changes nothing. */
  void apply(FileDamaged damage) {
    if (damage.what().isEmpty()) {
      files.remove(damage.object());
    } else {
      files.put(damage.object(), damage);
    }
  }

  /** All of them. */
  SortedMap<ObjectId, FileDamaged> all() {
    return Collections.unmodifiableSortedMap(files);
  }

  /** Their sentences, at most so many. */
  List<String> words(int most) {
    List<String> words = new ArrayList<>();
    files.values().stream().limit(most).forEach(each -> words.add(each.what()));
    int more = files.size() - words.size();
    if (more > 0) {
      words.add(more + " more files have lost bytes; they are named when those above are removed");
    }
    return words;
  }

  /** All of them, as a snapshot has them. */
  List<LiveEffect> snapshot() {
    return List.copyOf(files.values());
  }
}
