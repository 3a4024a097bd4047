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
  MANAGE(16);

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
