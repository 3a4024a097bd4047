package org.weft.osd.store.value;

import java.util.List;

/**
 * The ids of a write, and what its writer says of others (P 5.1, 5.4). The grant is the
 * authority's.
 *
 * @param first of {@code count} consecutive numbers, one for each stripe unit touched
 * @param participants indexes of the components that the write goes to
 * @param completeUpTo every number of this grant up to here is complete
 */
public record WriteNumbers(long first, int count, List<Integer> participants, long completeUpTo) {
  public WriteNumbers {
    participants = List.copyOf(participants);
  }
}
