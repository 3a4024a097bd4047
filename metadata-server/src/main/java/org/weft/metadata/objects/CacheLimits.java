package org.weft.metadata.objects;

/**
 * Bounds of a {@link MetadataCache}.
 *
 * @param cleanAttributes attribute pages kept beyond those that are not flushed yet
 * @param cleanBlocks directory blocks kept beyond those that are not flushed yet
 * @param unflushedRecords past it {@link MetadataCache#hasRoom} is false: bounds redo after a crash
 * @param directoryChangedBlocks past it, for one directory, {@link MetadataCache#hasRoom} is false:
 *     all dirty blocks of a directory leave in one frame
 */
public record CacheLimits(
    int cleanAttributes, int cleanBlocks, int unflushedRecords, int directoryChangedBlocks) {
  public static final CacheLimits DEFAULT = new CacheLimits(50_000, 8_192, 20_000, 1_024);

  private static final int LEAST_SHARE = 1_000;

  /** What each of several volumes may keep so that all together keep what one alone would. */
  public CacheLimits sharedBy(int volumes) {
    return new CacheLimits(
        share(cleanAttributes, volumes),
        share(cleanBlocks, volumes),
        share(unflushedRecords, volumes),
        share(directoryChangedBlocks, volumes));
  }

  private static int share(int whole, int volumes) {
    return Math.max(Math.min(whole, LEAST_SHARE), whole / Math.max(1, volumes));
  }

  public CacheLimits {
    if (cleanAttributes < 1
        || cleanBlocks < 1
        || unflushedRecords < 1
        || directoryChangedBlocks < 1) {
      throw new IllegalArgumentException("limits of a cache are positive");
    }
  }
}
