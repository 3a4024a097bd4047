package org.weft.osd.store;

/**
 * How a store is to be.
 *
 * @param capacityBytes for blocks, a multiple of 4096; may grow between starts, and shrink down to
 *     what its segments take
 * @param reserveBytes kept back from clients' writes; managers may use it
 * @param segmentBytes size of a segment file; the last one may be smaller
 * @param growBytes how much a segment file is grown at a time
 * @param checkpointMillis how long a commit stays without a checkpoint at most
 * @param windowBytes how much of what writes of one grant overwrote in one object is kept until
 *     they are complete: more gets BUSY (P 5.4)
 * @param objectCacheBytes memory for what was read or written of objects lately, about
 */
public record StoreOptions(
    long capacityBytes,
    long reserveBytes,
    long segmentBytes,
    long growBytes,
    long checkpointMillis,
    Durability durability,
    long windowBytes,
    long objectCacheBytes) {
  public static final int BLOCK_BYTES = 4096;

  private static final long MAX_SEGMENT_BYTES = 1L << 30;
  private static final long MIN_SEGMENT_BYTES = 16L << 20;
  private static final long GROW_BYTES = 64L << 20;
  private static final long MIN_RESERVE_BLOCKS = 16;
  private static final long CHECKPOINT_MILLIS = 5_000;
  private static final long WINDOW_BYTES = 64L << 20;

  /** Which part of the heap objects may take that were read lately. */
  private static final int CACHE_SHARE = 16;

  public StoreOptions {
    check(capacityBytes >= BLOCK_BYTES, "the capacity must be at least one block", capacityBytes);
    check(capacityBytes % BLOCK_BYTES == 0, "the capacity must be whole blocks", capacityBytes);
    check(reserveBytes >= 0 && reserveBytes <= capacityBytes, "the reserve is off", reserveBytes);
    check(reserveBytes % BLOCK_BYTES == 0, "the reserve must be whole blocks", reserveBytes);
    check(
        segmentBytes >= BLOCK_BYTES && segmentBytes <= MAX_SEGMENT_BYTES,
        "a segment has one block to 1 GiB",
        segmentBytes);
    check(segmentBytes % BLOCK_BYTES == 0, "a segment must be whole blocks", segmentBytes);
    check(growBytes >= BLOCK_BYTES, "segments must grow by at least a block", growBytes);
    check(growBytes % BLOCK_BYTES == 0, "segments must grow by whole blocks", growBytes);
    check(checkpointMillis > 0, "the time between checkpoints must be positive", checkpointMillis);
    check(windowBytes >= BLOCK_BYTES, "the window must be at least one block", windowBytes);
    check(objectCacheBytes >= 0, "the cache cannot have less than nothing", objectCacheBytes);
  }

  /** With a window of 64 MiB, and a sixteenth of the heap for objects. */
  public StoreOptions(
      long capacityBytes,
      long reserveBytes,
      long segmentBytes,
      long growBytes,
      long checkpointMillis,
      Durability durability) {
    this(
        capacityBytes,
        reserveBytes,
        segmentBytes,
        growBytes,
        checkpointMillis,
        durability,
        WINDOW_BYTES,
        Runtime.getRuntime().maxMemory() / CACHE_SHARE);
  }

  private static void check(boolean holds, String rule, long value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }

  /** A store of about that capacity; the reserve is 5 %, at least 16 blocks. */
  public static StoreOptions ofCapacity(long capacityBytes) {
    long capacity = capacityBytes / BLOCK_BYTES * BLOCK_BYTES;
    long reserve = Math.max(MIN_RESERVE_BLOCKS, capacity / BLOCK_BYTES / 20) * BLOCK_BYTES;
    long segment = Math.max(MIN_SEGMENT_BYTES, capacity / 16 / BLOCK_BYTES * BLOCK_BYTES);
    return new StoreOptions(
        capacity,
        Math.min(reserve, capacity),
        Math.min(MAX_SEGMENT_BYTES, segment),
        GROW_BYTES,
        CHECKPOINT_MILLIS,
        Durability.WRITE_BACK);
  }

  public StoreOptions withDurability(Durability other) {
    return with(checkpointMillis, other, windowBytes, objectCacheBytes);
  }

  public StoreOptions withCheckpointMillis(long millis) {
    return with(millis, durability, windowBytes, objectCacheBytes);
  }

  public StoreOptions withWindowBytes(long bytes) {
    return with(checkpointMillis, durability, bytes, objectCacheBytes);
  }

  /** With 0 the store's tables are read each time. */
  public StoreOptions withObjectCacheBytes(long bytes) {
    return with(checkpointMillis, durability, windowBytes, bytes);
  }

  private StoreOptions with(long millis, Durability how, long window, long cache) {
    return new StoreOptions(
        capacityBytes, reserveBytes, segmentBytes, growBytes, millis, how, window, cache);
  }
}
