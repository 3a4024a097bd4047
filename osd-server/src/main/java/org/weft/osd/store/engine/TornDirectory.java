package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.weft.osd.store.format.Extent;

/**
 * The blocks of a directory belong together: several come by one command (WRITE_BLOCKS), and a
 * manager that recovers goes by the LSN of the first one, as if the others were as new (P 6.3). If
 * one of them lost its bytes with the power and got older ones back by itself, names would be gone
 * that no journal brings again. So all go back to the last commit before which each of them is
 * whole.
 *
 * <p>No commit that a checkpoint covers is taken back: nobody keeps notes of those. Where no such
 * commit is found, for a block has rotted that was durable, nothing is done: readers will find it
 * damaged and take another copy.
 */
final class TornDirectory {
  private static final long HEADER = 0;
  private static final long AS_IT_IS = Long.MAX_VALUE;

  private final RecoveredObject object;
  private final OverwriteNotes notes;
  private final SortedSet<Long> blocks;

  TornDirectory(RecoveredObject object, OverwriteNotes notes) {
    this.object = object;
    this.notes = notes;
    this.blocks = notes.blocks(object.handle());
  }

  /**
   * Puts the blocks back, if the object is a directory.
   *
   * @return how many were put back; empty if it is none, or cannot be put back as a whole
   */
  OptionalLong restore() throws IOException {
    if (!isDirectory()) {
      return OptionalLong.empty();
    }
    if (isWhole(AS_IT_IS)) {
      return OptionalLong.of(0);
    }
    for (long commit : notes.commits(object.handle())) {
      if (isWhole(commit)) {
        return OptionalLong.of(putBack(commit));
      }
    }
    return OptionalLong.empty();
  }

  /**
   * Blocks of directories have no place in a sequence of writes: nobody writes them but managers.
   */
  private boolean isDirectory() throws IOException {
    if (!blocks.contains(HEADER) || !object.records().isEmpty()) {
      return false;
    }
    for (long block : blocks) {
      Extent now = object.at(block);
      if (now == null || now.sequence() != 0) {
        return false;
      }
    }
    for (long commit : notes.commits(object.handle())) {
      for (Extent old : before(commit).values()) {
        if (old.isCut() || old.sequence() != 0) {
          return false;
        }
      }
    }
    return true;
  }

  private SortedMap<Long, Extent> before(long commit) throws IOException {
    SortedMap<Long, Extent> state = new TreeMap<>();
    for (long block : blocks) {
      state.put(block, notes.before(object.handle(), block, commit, object.at(block)));
    }
    return state;
  }

  /**
   * True if every block that was there before the commit has its bytes, the header first of all.
   */
  private boolean isWhole(long commit) throws IOException {
    SortedMap<Long, Extent> state = before(commit);
    if (state.get(HEADER).isHole()) {
      return false;
    }
    for (var entry : state.entrySet()) {
      Extent extent = entry.getValue();
      if (!extent.isHole() && !object.isGood(extent.asStored(), entry.getKey())) {
        return false;
      }
    }
    return true;
  }

  private long putBack(long commit) throws IOException {
    long changed = 0;
    for (var entry : before(commit).entrySet()) {
      long block = entry.getKey();
      Extent older = entry.getValue();
      if (older.isHole()) {
        object.put(block, null);
        changed++;
      } else if (!OverwriteNotes.isSame(older, object.at(block), block)) {
        object.put(block, older.asStored());
        changed++;
      }
    }
    return changed;
  }
}
