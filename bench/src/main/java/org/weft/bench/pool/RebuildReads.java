package org.weft.bench.pool;

import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * What is read to make a lost component again, and from which OSDs. Every component of a sample is
 * lost once: that is what a single OSD loses, many times over, since all are alike. Not
 * thread-safe.
 */
final class RebuildReads {
  private final LoadSpread reads;
  private double lostBytes;
  private double readBytes;
  private long helpers;

  RebuildReads(int osds) {
    this.reads = new LoadSpread(osds);
  }

  /** A file, and what each of its components takes. */
  void file(StorageMap map, long[] bytes, boolean small) {
    for (int component = 0; component < bytes.length; component++) {
      if (bytes[component] > 0) {
        lose(map, bytes, component, small);
      }
    }
  }

  private void lose(StorageMap map, long[] bytes, int component, boolean small) {
    reads.file();
    lostBytes += bytes[component];
    Layout layout = map.layout();
    int first = component / layout.width() * layout.width();
    // Of a small file any copy will do; else as many units as a stripe has data.
    int wanted = small ? 1 : layout.dataUnits();
    for (int i = first; i < first + layout.width() && wanted > 0; i++) {
      if (i != component && bytes[i] > 0) {
        long share = Math.min(bytes[i], bytes[component]);
        reads.put(map.osdOf(i).value() - 1, share);
        readBytes += share;
        helpers++;
        wanted--;
      }
    }
  }

  /** Components with bytes in them, of the whole sample. */
  long components() {
    return reads.files();
  }

  double bytesPerComponent() {
    return lostBytes / reads.files();
  }

  double readsPerLostByte() {
    return readBytes / lostBytes;
  }

  /** OSDs that are expected to be asked when so many components are lost with one OSD. */
  double askedOf(int osds, long lost) {
    double perComponent = helpers / (double) reads.files();
    return (osds - 1) * -Math.expm1(-perComponent * lost / osds);
  }

  /** How much more than the mean the busiest of them reads, as a part of it. */
  double busiest(long lost) {
    return LoadSpread.MAX_OF_TEN_THOUSAND * reads.expectedDeviation(lost);
  }
}
