package org.weft.bench.rebuild.model;

import java.util.OptionalLong;
import org.weft.protocol.id.OsdId;

/**
 * One disk for each OSD, all of one rate. A disk serves requests in the order in which they come,
 * each for as long as its bytes last. OSDs are numbered from 1. Not thread-safe.
 */
final class ModelledDisks {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double bytesPerSecond;
  private final long[] freeAtNanos;
  private final long[] readBytes;
  private final long[] writtenBytes;
  private OptionalLong begunNanos = OptionalLong.empty();

  ModelledDisks(int osds, double bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    this.freeAtNanos = new long[osds];
    this.readBytes = new long[osds];
    this.writtenBytes = new long[osds];
  }

  /** When it will have been read, if that is asked for now. */
  long read(OsdId osd, long bytes, long nowNanos) {
    readBytes[osd.value() - 1] += bytes;
    return move(osd, bytes, nowNanos);
  }

  /** When it will have been written, if it comes now. */
  long write(OsdId osd, long bytes, long nowNanos) {
    writtenBytes[osd.value() - 1] += bytes;
    return move(osd, bytes, nowNanos);
  }

  private long move(OsdId osd, long bytes, long nowNanos) {
    int disk = osd.value() - 1;
    if (begunNanos.isEmpty()) {
      begunNanos = OptionalLong.of(nowNanos);
    }
    freeAtNanos[disk] =
        Math.max(freeAtNanos[disk], nowNanos) + (long) (bytes * NANOS_PER_SECOND / bytesPerSecond);
    return freeAtNanos[disk];
  }

  /** When the first of them was asked for anything. */
  OptionalLong begunNanos() {
    return begunNanos;
  }

  /** By OSD, from number 1 on. */
  long[] readBytes() {
    return readBytes.clone();
  }

  /** By OSD, from number 1 on. */
  long[] writtenBytes() {
    return writtenBytes.clone();
  }
}
