package org.weft.bench.pool;

import java.util.BitSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * Who helps when one OSD is lost: the OSDs that share a parity group with it, and what is read from
 * them to make its components again. Not thread-safe.
 */
final class Partners {
  private final OsdId lost;
  private final BitSet partners = new BitSet();
  private long files;
  private double lostBytes;
  private double readBytes;

  Partners(OsdId lost) {
    this.lost = lost;
  }

  /** A file, and what each of its components takes. */
  void file(StorageMap map, long[] bytes, boolean small) {
    int component = map.components().indexOf(lost);
    if (component < 0 || bytes[component] == 0) {
      return;
    }
    files++;
    lostBytes += bytes[component];
    Layout layout = map.layout();
    int first = component / layout.width() * layout.width();
    // Of a small file any copy will do; else as many units as a stripe has data.
    int wanted = small ? 1 : layout.dataUnits();
    for (int i = first; i < first + layout.width() && wanted > 0; i++) {
      if (i != component && bytes[i] > 0) {
        partners.set(map.osdOf(i).value());
        readBytes += Math.min(bytes[i], bytes[component]);
        wanted--;
      }
    }
  }

  long files() {
    return files;
  }

  int partners() {
    return partners.cardinality();
  }

  double lostBytes() {
    return lostBytes;
  }

  double readsPerLostByte() {
    return readBytes / lostBytes;
  }
}
