package org.weft.metadata.repair;

import java.util.HashMap;
import java.util.Map;

/**
 * How many files the volumes of one manager remember together that they rebuilt while an OSD was
 * down that may come back (P 6.8). Each takes memory until that OSD is back or removed. Where there
 * is no room for more, no more are rebuilt for such OSDs until an eighth of the room is free again.
 * Thread-safe.
 */
public final class LeftFiles {
  private static final int SHARE_TO_FREE = 8;

  private final long most;
  private final Map<Share, Long> byVolume = new HashMap<>();
  private boolean spent;

  /**
   * @param most files of all volumes together
   */
  public LeftFiles(long most) {
    this.most = most;
  }

  /** What one volume remembers. */
  public final class Share implements AutoCloseable {
    private boolean ended;

    private Share() {}

    /**
     * The volume remembers so many files now.
     *
     * @return false if no more may be rebuilt
     */
    public boolean holds(long files) {
      return changed(this, files);
    }

    /** The volume is served elsewhere. */
    @Override
    public void close() {
      ended(this);
    }
  }

  /** For one more volume. */
  public Share open() {
    return new Share();
  }

  private synchronized boolean changed(Share share, long files) {
    if (!share.ended) {
      byVolume.put(share, files);
    }
    return hasRoom();
  }

  private synchronized void ended(Share share) {
    share.ended = true;
    byVolume.remove(share);
  }

  private boolean hasRoom() {
    long all = byVolume.values().stream().mapToLong(Long::longValue).sum();
    spent = all >= (spent ? Math.max(1, most - most / SHARE_TO_FREE) : most);
    return !spent;
  }
}
