package org.weft.metadata.lock;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The byte-range locks of a volume, and the owners that wait for some. Confined to the volume's
 * thread.
 */
public final class VolumeLocks {
  private static final long TIDY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LockWaits waits = new LockWaits();
  private final LockTable table = new LockTable(waits::freed);
  private long tidiedNanos;

  public LockTable table() {
    return table;
  }

  public LockWaits waits() {
    return waits;
  }

  /** The owners that are to be notified now to ask again. */
  public List<LockWaits.Word> toTell(long nowNanos) {
    if (nowNanos - tidiedNanos >= TIDY_NANOS) {
      tidiedNanos = nowNanos;
      waits.tidy(nowNanos);
    }
    return waits.toTell(table, nowNanos);
  }
}
