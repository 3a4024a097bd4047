package org.weft.osd.store;

import java.util.List;

/**
 * A record of the pending list: a write that is not known to be complete everywhere (P 5.4).
 *
 * @param participants indexes of the components that the write goes to
 * @param offsetBytes where its bytes went; 0 for an id that was aborted before it arrived
 * @param eofBytes file length that it establishes
 * @param truncationNumber that {@code eofBytes} belongs to
 */
public record PendingWrite(
    long grant,
    long firstSequence,
    int sequenceCount,
    PendingKind kind,
    List<Integer> participants,
    long offsetBytes,
    long lengthBytes,
    long eofBytes,
    int truncationNumber) {
  public PendingWrite {
    participants = List.copyOf(participants);
  }

  /** The same without the bytes from there on, which lies behind its offset. */
  public PendingWrite before(long endBytes) {
    return new PendingWrite(
        grant,
        firstSequence,
        sequenceCount,
        kind,
        participants,
        offsetBytes,
        Math.min(lengthBytes, endBytes - offsetBytes),
        eofBytes,
        truncationNumber);
  }

  public long lastSequence() {
    return firstSequence + sequenceCount - 1;
  }
}
