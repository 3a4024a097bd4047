package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.weft.osd.store.format.Extent;

/**
 * Takes a directory that lost blocks with the power back to a commit before which all its blocks
 * are whole. They belong together, for several come by one command (WRITE_BLOCKS). A manager that
 * recovers goes by the LSN of the first block, as if the others were as new (P 6.3). One of them
 * might lose its bytes with the power and get older ones back by itself. Then names would be gone
 * that no journal brings again. So all go back to the last commit before which each of them is
 * whole.
 *
 * <p>No commit that a checkpoint covers is taken back: there are no notes of those. A block that
 * was damaged under the last checkpoint has nothing to go back to. A block that the directory had
 * given up may stay so for ever. It keeps the others from no moment at which it was as it was then.
 * Where no such commit is found, nothing is done: readers will find the blocks damaged and take
 * another copy.
 */
final class TornDirectory {
  private static final long HEADER = 0;

  private final RecoveredObject object;
  private final OverwriteNotes notes;
  private final SortedSet<Long> blocks;

  TornDirectory(RecoveredObject object, OverwriteNotes notes) {
    this.object = object;
    this.notes = notes;
    this.blocks = notes.blocks(object.handle());
  }

  /**
   * Puts the blocks back, if the object is a directory. A directory that was not whole at any
   * moment since the last checkpoint stays as it is. It is younger, or its header has rotted. What
   * is damaged says so, and the other copies are read.
   *
   * @return how many were put back; empty if it is none
   */
  OptionalLong restore() throws IOException {
    List<SortedMap<Long, Extent>> states = states();
    if (!areOfDirectory(states)) {
      return OptionalLong.empty();
    }
    SortedMap<Long, Extent> durable = states.get(states.size() - 1);
    for (SortedMap<Long, Extent> state : states) {
      if (isWhole(state, durable)) {
        return OptionalLong.of(putBack(state));
      }
    }
    return OptionalLong.of(0);
  }

  /** What the blocks hold, then what they held before each commit, the newest first. */
  private List<SortedMap<Long, Extent>> states() throws IOException {
    SortedMap<Long, Extent> now = new TreeMap<>();
    for (long block : blocks) {
      now.put(block, object.at(block));
    }
    List<SortedMap<Long, Extent>> states = new ArrayList<>(List.of(now));
    for (long commit : notes.commits(object.handle())) {
      SortedMap<Long, Extent> before = new TreeMap<>();
      now.forEach(
          (block, extent) ->
              before.put(block, notes.before(object.handle(), block, commit, extent)));
      states.add(before);
    }
    return states;
  }

  /** Blocks of directories have no place in a sequence of writes: only managers write them. */
  private boolean areOfDirectory(List<SortedMap<Long, Extent>> states) {
    return blocks.contains(HEADER)
        && object.records().isEmpty()
        && states.stream()
            .flatMap(state -> state.values().stream())
            .allMatch(extent -> extent != null && !extent.isCut() && extent.sequence() == 0);
  }

  /**
   * True if every block that was there then has its bytes, or those that it had before them all.
   */
  private boolean isWhole(SortedMap<Long, Extent> state, SortedMap<Long, Extent> durable) {
    Extent header = state.get(HEADER);
    return !header.isHole()
        && object.isGood(header.asStored(), HEADER)
        && state.entrySet().stream()
            .allMatch(each -> isAsGood(each.getKey(), each.getValue(), durable.get(each.getKey())));
  }

  private boolean isAsGood(long block, Extent then, Extent durable) {
    return then.isHole()
        || !durable.isHole() && OverwriteNotes.isSame(then, durable, block)
        || object.isGood(then.asStored(), block);
  }

  private long putBack(SortedMap<Long, Extent> state) throws IOException {
    long changed = 0;
    for (var entry : state.entrySet()) {
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
