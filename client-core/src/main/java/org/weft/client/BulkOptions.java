package org.weft.client;

/**
 * How much of a bulk call goes on at a time.
 *
 * @param parallel files under way at most
 * @param mostFileBytes a longer file is not read but refused with INVALID_ARGUMENT: bulk reads are
 *     for files that fit into memory, {@code parallel} of them at once
 */
public record BulkOptions(int parallel, int mostFileBytes) {
  private static final int DEFAULT_PARALLEL = 64;
  private static final int DEFAULT_MAX_FILE_BYTES = 8 << 20;
  private static final int MAX_PARALLEL = 4_096;

  public BulkOptions {
    if (parallel < 1 || parallel > MAX_PARALLEL) {
      throw new IllegalArgumentException(
          "1 to " + MAX_PARALLEL + " files may be under way, got " + parallel);
    }
    if (mostFileBytes < 0) {
      throw new IllegalArgumentException("a length cannot be negative: " + mostFileBytes);
    }
  }

  /** 64 files at a time, of up to 8 MiB. */
  public static BulkOptions defaults() {
    return new BulkOptions(DEFAULT_PARALLEL, DEFAULT_MAX_FILE_BYTES);
  }
}
