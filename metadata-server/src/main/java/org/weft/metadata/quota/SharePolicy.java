package org.weft.metadata.quota;

/**
 * How much of a tree's room a writer is promised at a time. It is a share of what is left. So
 * shares become smaller as the limit comes near, and many writers together leave room.
 */
public final class SharePolicy {
  /** A writer asks once for each of these, far from the limit. */
  public static final long MAX_BYTES = 1L << 30;

  private static final int PART = 16;
  private static final long WHOLE_BYTES = 4_096;

  private SharePolicy() {}

  /**
   * Bytes to promise beyond those that are needed now.
   *
   * @param roomBytes what is left when those are taken
   */
  public static long aheadBytes(long roomBytes) {
    long part = Math.min(MAX_BYTES, Math.max(0, roomBytes) / PART);
    return part / WHOLE_BYTES * WHOLE_BYTES;
  }
}
