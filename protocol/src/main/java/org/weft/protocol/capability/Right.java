package org.weft.protocol.capability;

/** What a capability allows; one bit each. */
public enum Right {
  READ(1),
  WRITE(2),
  /** A write may create the object. */
  CREATE(4),
  READ_ATTRIBUTES(8),
  /**
   * Everything a manager does: attributes, blocks by LSN, removal, versions, fences. Bound by the
   * fence epoch.
   */
  MANAGE(16),
  /**
   * To list what a partition has, and to be told what there is in quarantine. A check of a volume
   * without a manager needs this and the rights to read (P 6.8d). Bound by the fence epoch.
   */
  LOOK(32),
  /**
   * What writing one component anew takes (P 6.8): to make it, to shut it to smaller numbers, to
   * write it and to flush it. All of that happens under the capability's own number, on the one OSD
   * that the capability names. The right also lets its holder read the object on every OSD, in
   * quarantine too. Bound by the fence epoch.
   */
  COPY(64);

  private final int bit;

  Right(int bit) {
    this.bit = bit;
  }

  public int bit() {
    return bit;
  }

  public static int bits(Right... rights) {
    int bits = 0;
    for (Right right : rights) {
      bits |= right.bit;
    }
    return bits;
  }
}
