package org.weft.metadata.journal;

/**
 * Sizes of a journal on files.
 *
 * @param segmentBytes of a file, allocated when it is made; one that must hold a larger group is
 *     larger
 * @param groupBytes at most about this much is written and synced at once
 * @param queueBytes of encoded records that may wait for the disk
 * @param queueRecords records that may wait for the disk
 */
public record JournalOptions(int segmentBytes, int groupBytes, int queueBytes, int queueRecords) {
  public static final JournalOptions DEFAULT =
      new JournalOptions(16 << 20, 2 << 20, 16 << 20, 1 << 14);

  public JournalOptions {
    if (segmentBytes < SegmentHeader.BYTES || groupBytes < 1) {
      throw new IllegalArgumentException("a segment is too small: " + segmentBytes);
    }
    if (queueBytes < 2 * JournalLog.MAX_RECORD_BYTES || queueRecords < 2) {
      throw new IllegalArgumentException(
          "the queue must hold two records of the largest size, got " + queueBytes + " bytes");
    }
  }
}
