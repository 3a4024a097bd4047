package org.weft.client.cache;

/**
 * Counts of a client's cache of bytes since its start.
 *
 * @param hits reads that were answered without a message
 * @param misses reads that could have been, had the bytes been there; long reads count for neither
 * @param hitBytes delivered by hits
 * @param heldBytes of memory that is used now
 */
public record DataCacheCounts(long hits, long misses, long hitBytes, long heldBytes) {
  /** Of a client that keeps none. */
  public static final DataCacheCounts NONE = new DataCacheCounts(0, 0, 0, 0);
}
