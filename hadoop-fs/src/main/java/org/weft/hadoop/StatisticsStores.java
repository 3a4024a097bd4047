package org.weft.hadoop;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_EXCEPTIONS;
import static org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding.iostatisticsStore;

import java.util.Arrays;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.weft.client.cache.DataCacheCounts;
import org.weft.client.stripe.hedge.HedgeCounts;

/** The statistics that file systems and streams that write keep, by Hadoop's names. */
final class StatisticsStores {
  private StatisticsStores() {}

  private static final String[] READ_COUNTERS =
      Arrays.stream(ReadCounter.values()).map(ReadCounter::key).toArray(String[]::new);

  /** Units that were late and rebuilt from others. */
  static final String HEDGES_STARTED = "weft_hedged_reads_started";

  /** The others came first. */
  static final String HEDGES_WON = "weft_hedged_reads_won";

  /** Units that were late and waited for, since the budget was spent. */
  static final String HEDGES_DROPPED = "weft_hedged_reads_dropped";

  /** Reads that the client answered from its memory. */
  static final String DATA_CACHE_HITS = "weft_data_cache_hits";

  /** Reads that it could have answered, had the bytes been there. */
  static final String DATA_CACHE_MISSES = "weft_data_cache_misses";

  /** Bytes that hits have delivered. */
  static final String DATA_CACHE_HIT_BYTES = "weft_data_cache_hit_bytes";

  /** Memory that is used now. */
  static final String DATA_CACHE_HELD_BYTES = "weft_data_cache_held_bytes";

  private static final String[] WRITE_COUNTERS = {STREAM_WRITE_BYTES, STREAM_WRITE_EXCEPTIONS};

  static IOStatisticsStore writeStatistics() {
    return iostatisticsStore()
        .withCounters(WRITE_COUNTERS)
        .withDurationTracking(StoreStatisticNames.OP_HFLUSH, StoreStatisticNames.OP_HSYNC)
        .build();
  }

  /** Puts what the client has counted until now into a file system's statistics. */
  static void tell(HedgeCounts hedges, IOStatisticsStore store) {
    store.setCounter(HEDGES_STARTED, hedges.begun());
    store.setCounter(HEDGES_WON, hedges.won());
    store.setCounter(HEDGES_DROPPED, hedges.refused());
  }

  /** The same of its cache of bytes. */
  static void tell(DataCacheCounts counts, IOStatisticsStore store) {
    store.setCounter(DATA_CACHE_HITS, counts.hits());
    store.setCounter(DATA_CACHE_MISSES, counts.misses());
    store.setCounter(DATA_CACHE_HIT_BYTES, counts.hitBytes());
    store.setGauge(DATA_CACHE_HELD_BYTES, counts.heldBytes());
  }

  /**
   * The statistics of a file system instance: its operations, and its streams once they are closed.
   */
  static IOStatisticsStore storeStatistics() {
    return iostatisticsStore()
        .withCounters(READ_COUNTERS)
        .withCounters(WRITE_COUNTERS)
        .withCounters(HEDGES_STARTED, HEDGES_WON, HEDGES_DROPPED)
        .withCounters(DATA_CACHE_HITS, DATA_CACHE_MISSES, DATA_CACHE_HIT_BYTES)
        .withGauges(DATA_CACHE_HELD_BYTES)
        .withDurationTracking(
            StoreStatisticNames.OP_HFLUSH,
            StoreStatisticNames.OP_HSYNC,
            StoreStatisticNames.OP_ACCESS,
            StoreStatisticNames.OP_APPEND,
            StoreStatisticNames.OP_CREATE,
            StoreStatisticNames.OP_CREATE_FILE,
            StoreStatisticNames.OP_CREATE_NON_RECURSIVE,
            StoreStatisticNames.OP_DELETE,
            StoreStatisticNames.OP_GET_CONTENT_SUMMARY,
            StoreStatisticNames.OP_GET_FILE_CHECKSUM,
            StoreStatisticNames.OP_GET_FILE_STATUS,
            StoreStatisticNames.OP_GET_STATUS,
            StoreStatisticNames.OP_LIST_LOCATED_STATUS,
            StoreStatisticNames.OP_LIST_STATUS,
            StoreStatisticNames.OP_MKDIRS,
            StoreStatisticNames.OP_OPEN,
            StoreStatisticNames.OP_RENAME,
            StoreStatisticNames.OP_SET_ACL,
            StoreStatisticNames.OP_SET_OWNER,
            StoreStatisticNames.OP_SET_PERMISSION,
            StoreStatisticNames.OP_SET_TIMES,
            StoreStatisticNames.OP_TRUNCATE,
            StoreStatisticNames.OP_XATTR_GET_MAP,
            StoreStatisticNames.OP_XATTR_GET_NAMED,
            StoreStatisticNames.OP_XATTR_GET_NAMED_MAP,
            StoreStatisticNames.OP_XATTR_LIST)
        .build();
  }
}
