package org.weft.hadoop;

import org.apache.hadoop.fs.statistics.StreamStatisticNames;

/** What a stream that reads counts, by Hadoop's names. */
enum ReadCounter {
  BYTES(StreamStatisticNames.STREAM_READ_BYTES),
  CLOSED(StreamStatisticNames.STREAM_READ_CLOSED),
  EXCEPTIONS(StreamStatisticNames.STREAM_READ_EXCEPTIONS),
  FULLY_OPERATIONS(StreamStatisticNames.STREAM_READ_FULLY_OPERATIONS),
  OPENED(StreamStatisticNames.STREAM_READ_OPENED),
  OPERATIONS(StreamStatisticNames.STREAM_READ_OPERATIONS),
  SEEK_OPERATIONS(StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS),
  UNBUFFERED(StreamStatisticNames.STREAM_READ_UNBUFFERED),
  VECTORED_COMBINED_RANGES(StreamStatisticNames.STREAM_READ_VECTORED_COMBINED_RANGES),
  VECTORED_INCOMING_RANGES(StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES),
  VECTORED_OPERATIONS(StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS),
  VECTORED_BYTES_DISCARDED(StreamStatisticNames.STREAM_READ_VECTORED_READ_BYTES_DISCARDED);

  private final String key;

  ReadCounter(String key) {
    this.key = key;
  }

  String key() {
    return key;
  }
}
