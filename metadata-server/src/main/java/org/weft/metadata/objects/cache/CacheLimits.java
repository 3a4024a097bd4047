package org.weft.metadata.objects.cache;

import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.rpc.ListenOptions;

/**
 * Bounds of a {@link MetadataCache}.
 *
 * @param cleanAttributes attribute pages kept ready beyond those that are not flushed yet
 * @param packedBytes for attribute pages beyond these, which are kept encoded
 * @param cleanBlocks directory blocks kept beyond those that are not flushed yet
 * @param unflushedRecords past it {@link MetadataCache#hasRoom} is false: bounds redo after a crash
 * @param directoryChangedBlocks past it, for one directory, {@link MetadataCache#hasRoom} is false:
 *     all dirty blocks of a directory leave in one frame
 * @param unflushedBlocks of all directories, counted in each round that they are part of, past
 *     which {@link MetadataCache#hasRoom} is false: spread names change several blocks with each
 *     record
 * @param journalBytes of the journal's files, past which {@link MetadataCache#isTailFull}: all of
 *     it is read at once when the volume starts
 */
public record CacheLimits(
    int cleanAttributes,
    long packedBytes,
    int cleanBlocks,
    int unflushedRecords,
    int directoryChangedBlocks,
    int unflushedBlocks,
    long journalBytes) {
  /** Even the smallest cache puts up with so many. */
  private static final int MIN_UNFLUSHED_RECORDS = 20_000;

  /** A manager with much memory is to serve again within seconds, too. */
  private static final int MAX_UNFLUSHED_RECORDS = 100_000;

  /**
   * Share of a cache for each record: what it changed, and what is on its way to the copies. Rounds
   * begin at a quarter of as many objects and at half of the records. The more may wait, the more
   * often a name that changes again and again is flushed once.
   */
  private static final int UNFLUSHED_RECORD_SHARE = 4 << 10;

  private static final int MIN_UNFLUSHED_BLOCKS = 1 << 13;
  private static final int UNFLUSHED_BLOCK_SHARE = 16 << 10;
  private static final long MIN_JOURNAL_BYTES = 64L << 20;
  private static final long MAX_JOURNAL_BYTES = 256L << 20;
  private static final int JOURNAL_PART = 4;

  /** More blocks than one record changes after the check that there is room. */
  private static final int BLOCKS_OF_A_RECORD = 48;

  private static final int CHANGED_BLOCKS =
      ListenOptions.MAX_PAYLOAD_BYTES / DirectoryBlock.BYTES - BLOCKS_OF_A_RECORD;

  /** What a page that is kept ready takes in memory, about. */
  static final int READY_BYTES = 1 << 10;

  private static final int BLOCK_BYTES = DirectoryBlock.BYTES + 160;

  /** Share of a cache for ready pages, in parts of 16; the rest is for packed pages. */
  private static final int READY_SHARE = 2;

  private static final int BLOCKS_SHARE = 3;
  private static final int SHARES = 16;

  /** For a manager that is part of a larger process: 128 MiB. */
  public static final CacheLimits DEFAULT = ofBytes(128L << 20);

  /** The least that {@link #ofBytes} takes. */
  public static final long MIN_BYTES = 4 << 20;

  /** What one request may need at once: a page of a listing with the attributes. */
  private static final int MIN_SHARE = 1_000;

  private static final long MIN_PACKED_BYTES = 1 << 20;

  /** Limits under which what is clean takes about so much memory. */
  public static CacheLimits ofBytes(long bytes) {
    if (bytes < MIN_BYTES) {
      throw new IllegalArgumentException("a manager's cache needs 4 MiB at least, got " + bytes);
    }
    long ready = bytes / SHARES * READY_SHARE;
    long blocks = bytes / SHARES * BLOCKS_SHARE;
    return new CacheLimits(
        number(ready / READY_BYTES),
        bytes - ready - blocks,
        number(blocks / BLOCK_BYTES),
        unflushedRecords(bytes),
        CHANGED_BLOCKS,
        Math.max(MIN_UNFLUSHED_BLOCKS, number(bytes / UNFLUSHED_BLOCK_SHARE)),
        Math.max(MIN_JOURNAL_BYTES, Math.min(MAX_JOURNAL_BYTES, bytes / JOURNAL_PART)));
  }

  private static int unflushedRecords(long bytes) {
    int wanted = number(bytes / UNFLUSHED_RECORD_SHARE);
    return Math.max(MIN_UNFLUSHED_RECORDS, Math.min(MAX_UNFLUSHED_RECORDS, wanted));
  }

  private static int number(long wanted) {
    return (int) Math.min(Integer.MAX_VALUE, wanted);
  }

  /** What each of several volumes may keep so that all together keep what one alone would. */
  public CacheLimits sharedBy(int volumes) {
    return new CacheLimits(
        share(cleanAttributes, volumes),
        share(packedBytes, MIN_PACKED_BYTES, volumes),
        share(cleanBlocks, volumes),
        share(unflushedRecords, volumes),
        share(directoryChangedBlocks, volumes),
        (int) share(unflushedBlocks, MIN_UNFLUSHED_BLOCKS, volumes),
        share(journalBytes, MIN_JOURNAL_BYTES, volumes));
  }

  private static int share(int whole, int volumes) {
    return (int) share(whole, MIN_SHARE, volumes);
  }

  private static long share(long whole, long least, int volumes) {
    return Math.max(Math.min(whole, least), whole / Math.max(1, volumes));
  }

  public CacheLimits {
    if (cleanAttributes < 1
        || packedBytes < 0
        || cleanBlocks < 1
        || unflushedRecords < 1
        || directoryChangedBlocks < 1
        || unflushedBlocks < 1
        || journalBytes < 1) {
      throw new IllegalArgumentException(
          "limits of a cache are positive, the bytes packed not negative");
    }
  }
}
