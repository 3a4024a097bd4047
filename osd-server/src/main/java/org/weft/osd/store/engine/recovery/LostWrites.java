package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.PendingRecord;

/**
 * Finds the pending writes of an object that a power loss took bytes of, and makes each as if it
 * had never come. Everything that it changed is as before. Its id is in no list, so it is executed
 * when it is sent again (P 5.4, 5.9).
 *
 * <p>A stripe write or data unit goes back to what it kept. An XOR goes back to what notes say was
 * there before it. The XORs made on top of it go too, since their bytes hold it. None of those is
 * durable, for a durable XOR on top of a pending one made a checkpoint over both. A write that has
 * no note to go back to was under a checkpoint. Its block is damaged some other way and stays so,
 * for readers to find out.
 */
final class LostWrites {
  private final RecoveredObject object;
  private final OverwriteNotes notes;
  private final long checkpoint;
  // Of each block that XORs are pending on: what it holds and held, the newest first.
  private final SortedMap<Long, List<Extent>> versions = new TreeMap<>();
  // Which of those each block goes back to; 0 is what it holds.
  private final SortedMap<Long, Integer> chosen = new TreeMap<>();
  private final List<PendingRecord> xors = new ArrayList<>();
  private final List<PendingRecord> lost = new ArrayList<>();
  private int undone;

  /**
   * @param checkpoint the last durable one
   */
  LostWrites(RecoveredObject object, OverwriteNotes notes, long checkpoint) {
    this.object = object;
    this.notes = notes;
    this.checkpoint = checkpoint;
  }

  /** How many writes were undone. */
  int undo() throws IOException {
    for (PendingRecord record : object.records()) {
      if (record.kind() == PendingKind.XOR_DELTA) {
        xors.add(record);
      } else if (record.kind() != PendingKind.ABORTED && hasBadBlock(record)) {
        goBack(record);
      }
    }
    if (!xors.isEmpty()) {
      undoXors();
    }
    return undone;
  }

  private boolean hasBadBlock(PendingRecord record) throws IOException {
    if (record.checkpoint() < checkpoint) {
      // It was durable: what is bad was damaged since, for readers to find out.
      return false;
    }
    for (long block = record.firstBlock(); block < record.endBlock(); block++) {
      Extent now = object.at(block);
      if (now != null && record.wrote(now, block) && !object.isGood(now, block)) {
        return true;
      }
    }
    return false;
  }

  private void goBack(PendingRecord record) throws IOException {
    for (long block = record.firstBlock(); block < record.endBlock(); block++) {
      object.put(block, record.keptAt(block));
    }
    object.remove(record);
    undone++;
  }

  private void undoXors() throws IOException {
    for (PendingRecord record : xors) {
      for (long block = record.firstBlock(); block < record.endBlock(); block++) {
        if (!versions.containsKey(block)) {
          versions.put(block, notes.versions(object.handle(), block, object.at(block)));
          chosen.put(block, 0);
        }
      }
    }
    leaveOutTheImmovable();
    for (PendingRecord record : xors) {
      if (!hasWholeDelta(record)) {
        lost.add(record);
      }
    }
    for (long block : versions.keySet()) {
      choose(block, 0);
    }
    while (spread()) {
      // Until no write that stays is missing in a block.
    }
    for (long block : versions.keySet()) {
      if (chosen.get(block) > 0) {
        noteOthersTaken(block);
        object.put(block, versions.get(block).get(chosen.get(block)));
        // A newer version may be good, and hold a write that is lost.
        object.settle(block);
      }
    }
    lost.forEach(object::remove);
    undone += lost.size();
  }

  /** Notes what goes with the block and is in no write of the list: no caller sends it again. */
  private void noteOthersTaken(long block) {
    for (Extent taken : versions.get(block).subList(0, chosen.get(block))) {
      if (taken != null && lost.stream().noneMatch(record -> record.wrote(taken, block))) {
        object.noteGivenBack(block);
      }
    }
  }

  /** XORs with a block that has no older version, and those under them, cannot go back. */
  private void leaveOutTheImmovable() {
    boolean found = true;
    while (found) {
      found = false;
      for (PendingRecord record : List.copyOf(xors)) {
        if (!canGoBack(record)) {
          xors.remove(record);
          found = true;
        }
      }
    }
  }

  private boolean canGoBack(PendingRecord record) {
    for (long block = record.firstBlock(); block < record.endBlock(); block++) {
      int index = indexOf(record, block);
      if (index < 0 || index + 1 >= versions.get(block).size() || index >= limit(block)) {
        return false;
      }
    }
    return true;
  }

  /**
   * No older version than this may be chosen: it would lose a write that cannot go back. One that
   * made none of the versions is older than all of them, and in each.
   */
  private int limit(long block) {
    List<Extent> all = versions.get(block);
    int limit = all.size() - 1;
    for (PendingRecord record : object.records()) {
      if (record.kind() == PendingKind.XOR_DELTA
          && !xors.contains(record)
          && record.overlaps(block, block + 1)
          && indexOf(record, block) >= 0) {
        limit = Math.min(limit, indexOf(record, block));
      }
    }
    return limit;
  }

  /** The version that the write made of the block; -1 if there is none. */
  private int indexOf(PendingRecord record, long block) {
    List<Extent> all = versions.get(block);
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) != null && record.wrote(all.get(i), block)) {
        return i;
      }
    }
    return -1;
  }

  private boolean hasWholeDelta(PendingRecord record) {
    for (long block = record.firstBlock(); block < record.endBlock(); block++) {
      if (!object.isGood(record.keptAt(block), block)) {
        return false;
      }
    }
    return true;
  }

  /** Chooses the newest good version from an index on; if there is none, the oldest, damaged. */
  private void choose(long block, int from) {
    int limit = limit(block);
    for (int i = from; i <= limit; i++) {
      if (object.isGood(versions.get(block).get(i), block)) {
        chosen.put(block, i);
        return;
      }
    }
    chosen.put(block, limit);
  }

  /** A write that is lost in one block is lost in all. True if that changed something. */
  private boolean spread() {
    boolean changed = false;
    for (PendingRecord record : xors) {
      for (long block = record.firstBlock();
          !lost.contains(record) && block < record.endBlock();
          block++) {
        if (indexOf(record, block) < chosen.get(block)) {
          lost.add(record);
          changed = true;
        }
      }
    }
    for (PendingRecord record : lost) {
      for (long block = record.firstBlock(); block < record.endBlock(); block++) {
        int index = indexOf(record, block);
        if (chosen.get(block) <= index) {
          choose(block, index + 1);
          changed = true;
        }
      }
    }
    return changed;
  }
}
