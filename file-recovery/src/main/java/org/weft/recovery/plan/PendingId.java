package org.weft.recovery.plan;

/**
 * The id of one write: consecutive sequence numbers of a grant (P 5.1). What carries it is decided
 * as a whole. Ordered as writes are decided: by grant, then oldest first.
 *
 * @param grant an LSN, compared unsigned
 * @param firstSeq at least 1
 * @param seqCount at least 1
 */
public record PendingId(long grant, long firstSeq, int seqCount) implements Comparable<PendingId> {
  public PendingId {
    if (firstSeq < 1 || seqCount < 1) {
      throw new IllegalArgumentException(
          "sequence numbers start at 1, got " + seqCount + " from " + firstSeq + " on");
    }
  }

  public long lastSeq() {
    return firstSeq + seqCount - 1;
  }

  @Override
  public int compareTo(PendingId other) {
    int byGrant = Long.compareUnsigned(grant, other.grant);
    if (byGrant != 0) {
      return byGrant;
    }
    int bySeq = Long.compare(firstSeq, other.firstSeq);
    return bySeq != 0 ? bySeq : Integer.compare(seqCount, other.seqCount);
  }
}
