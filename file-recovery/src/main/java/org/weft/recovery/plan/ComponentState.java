package org.weft.recovery.plan;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a component that exists says of itself.
 *
 * @param records its pending list
 * @param completeUpTo by grant, up to which sequence number it knows everything to be complete
 * @param eofBytes file length as it knows it, pending writes included
 * @param truncationNumber of that length
 * @param componentBytes no byte that it stores lies at it or behind it
 * @param resolvedBelow every write of a smaller grant is complete: it keeps no marks of them
 * @param givenBack blocks that hold older bytes than what was written there last: ends by first
 *     block (P 5.9)
 */
public record ComponentState(
    List<PendingListRecord> records,
    SortedMap<Long, Long> completeUpTo,
    long eofBytes,
    int truncationNumber,
    long componentBytes,
    long resolvedBelow,
    SortedMap<Long, Long> givenBack) {
  public ComponentState {
    records = List.copyOf(records);
    completeUpTo = Collections.unmodifiableSortedMap(new TreeMap<>(completeUpTo));
    givenBack = Collections.unmodifiableSortedMap(new TreeMap<>(givenBack));
  }

  /** Of one that nothing was given back of. */
  public ComponentState(
      List<PendingListRecord> records,
      SortedMap<Long, Long> completeUpTo,
      long eofBytes,
      int truncationNumber,
      long componentBytes,
      long resolvedBelow) {
    this(
        records,
        completeUpTo,
        eofBytes,
        truncationNumber,
        componentBytes,
        resolvedBelow,
        Collections.emptySortedMap());
  }

  /** Of one that has heard of no floor. */
  public ComponentState(
      List<PendingListRecord> records,
      SortedMap<Long, Long> completeUpTo,
      long eofBytes,
      int truncationNumber,
      long componentBytes) {
    this(records, completeUpTo, eofBytes, truncationNumber, componentBytes, 0);
  }

  /** True if some block of a range holds older bytes than it should. */
  public boolean isGivenBack(long fromBlock, long toBlock) {
    SortedMap<Long, Long> before = givenBack.headMap(toBlock);
    return !before.isEmpty() && before.get(before.lastKey()) > fromBlock;
  }

  /**
   * True if it has never heard of a byte of the file, or only of some that were undone. It was made
   * for attributes, to keep a dead writer out, or for a write that never came to be. Of its length
   * nothing follows, for it stays where an undone write had brought it.
   */
  public boolean isBlank() {
    return eofBytes == 0 && truncationNumber == 0 && records.isEmpty();
  }
}
