package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.metadata.objects.FlushStamp;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * What all records since the round before have changed, as it is after the last of them.
 * Directories are taken between two records, so that their blocks fit each other.
 *
 * @param upTo LSN of the last record; no write may leave before it is durable (the WAL rule)
 * @param records how many there were
 * @param stamp as of then
 * @param directoryBlocks of each directory, to be reported when they are under a checkpoint
 * @param removals to be planned again if their OSD forgets them
 * @param whole false if redo of some directory had started over and not caught up. Its changes are
 *     in a later round, and records stay until that round is under checkpoints
 */
public record FlushRound(
    Lsn upTo,
    long records,
    FlushStamp stamp,
    List<FlushItem> items,
    SortedMap<ObjectId, SortedMap<Integer, byte[]>> directoryBlocks,
    List<Removal> removals,
    boolean whole) {
  /** A removed object and the LSN of its removal. */
  public record Removal(RemoveObject effect, Lsn lsn) {}

  public FlushRound {
    items = List.copyOf(items);
    directoryBlocks = new TreeMap<>(directoryBlocks);
    removals = List.copyOf(removals);
  }

  /** How many blocks of directories it holds on to. */
  int blocks() {
    return directoryBlocks.values().stream().mapToInt(SortedMap::size).sum();
  }

  /** Those that leave in that phase, in their order. */
  public List<FlushItem> itemsOf(FlushItem.Phase phase) {
    List<FlushItem> found = new ArrayList<>();
    for (FlushItem item : items) {
      if (item.phase() == phase) {
        found.add(item);
      }
    }
    return found;
  }
}
