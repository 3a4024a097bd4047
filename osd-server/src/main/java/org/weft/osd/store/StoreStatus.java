package org.weft.osd.store;

import java.util.List;

/**
 * The store's figures, exact as of one commit.
 *
 * @param capacityBytes what the store may use for blocks
 * @param usedBytes blocks that objects hold, or that wait until their old bytes cannot be needed
 *     any more
 * @param freeBytes capacity less used, as far as the disk gives it; the reserve is part of it
 * @param reserveBytes kept back from clients' writes
 * @param missingBytes of the capacity that the disk has no space for; 0 until it was asked
 * @param pendingCheckpoint number of the checkpoint that will cover the next commit
 * @param durableCheckpoint the last one that is on stable storage
 * @param problems one sentence each; empty while all is well
 */
public record StoreStatus(
    long capacityBytes,
    long usedBytes,
    long freeBytes,
    long reserveBytes,
    long missingBytes,
    long objects,
    long pendingCheckpoint,
    long durableCheckpoint,
    List<String> problems) {
  public boolean healthy() {
    return problems.isEmpty();
  }
}
