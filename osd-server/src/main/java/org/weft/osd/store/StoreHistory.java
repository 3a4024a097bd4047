package org.weft.osd.store;

import java.util.List;

/**
 * The starts and changes that tell a store from an old copy of it (P 5.10).
 *
 * @param startId drawn anew by each start
 * @param knownStarts the last start that a cluster let in, and those since, this one among them
 * @param checkpoint the last durable one that the first start since the last that was let in found
 * @param change the number of the last change that that start found
 * @param tookOver all of these starts were on this folder, in the same life of the page cache. As
 *     this one holds the folder's lock, the others have ended. Not so on a copy, however often it
 *     is started, until one of its starts is let in
 */
public record StoreHistory(
    long startId, List<Long> knownStarts, long checkpoint, long change, boolean tookOver) {
  public StoreHistory {
    knownStarts = List.copyOf(knownStarts);
  }
}
