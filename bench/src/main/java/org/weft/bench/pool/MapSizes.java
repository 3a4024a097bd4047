package org.weft.bench.pool;

import org.weft.protocol.layout.StorageMap;

/** Bytes of storage maps as they are journalled, kept in attributes and sent with grants. */
final class MapSizes {
  private static final double TERABYTE = 1e12;

  private long maps;
  private long bytes;
  private int largest;

  /** Takes a line of the table. */
  @FunctionalInterface
  interface Rows {
    void row(String what, String format, Object... values);
  }

  void add(StorageMap map) {
    int size = map.toMessage().getSerializedSize();
    maps++;
    bytes += size;
    largest = Math.max(largest, size);
  }

  void print(Rows rows, long files) {
    double mean = bytes / (double) maps;
    rows.row("storage map of a file", "%.0f bytes, at most %d", mean, largest);
    rows.row("maps of all files", "%.2f TB, each on three OSDs", mean * files / TERABYTE);
  }
}
