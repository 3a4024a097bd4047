package org.weft.client;

import java.util.List;

/**
 * Locks of a file.
 *
 * @param holders at most 1,000
 * @param total how many there are
 */
public record LockList(List<LockHolder> holders, long total) {
  public LockList {
    holders = List.copyOf(holders);
  }
}
