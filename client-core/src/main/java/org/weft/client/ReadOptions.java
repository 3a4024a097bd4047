package org.weft.client;

/**
 * How a file that is opened is going to be read; all of it advice but the last.
 *
 * @param pattern what streams fetch ahead; reads at positions fetch nothing ahead
 * @param likelyEndBytes streams fetch nothing behind it before it is asked for: the end of a split
 * @param verifyParity of every stripe parity is read too, as far as its components are there. Only
 *     what it confirms is delivered; else the read fails with BAD_CHECKSUM. Any byte then costs a
 *     read of the same range of all units of its stripe
 */
public record ReadOptions(ReadPattern pattern, long likelyEndBytes, boolean verifyParity) {
  private static final ReadOptions DEFAULTS =
      new ReadOptions(ReadPattern.ADAPTIVE, Long.MAX_VALUE, false);

  public ReadOptions {
    if (likelyEndBytes < 0) {
      throw new IllegalArgumentException("an end cannot be negative: " + likelyEndBytes);
    }
  }

  /** Found out while it is read, without parity. */
  public static ReadOptions defaults() {
    return DEFAULTS;
  }

  /** The same with another pattern. */
  public ReadOptions withPattern(ReadPattern newPattern) {
    return new ReadOptions(newPattern, likelyEndBytes, verifyParity);
  }

  /**
   * The same with another likely end.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public ReadOptions withLikelyEnd(long newLikelyEndBytes) {
    return new ReadOptions(pattern, newLikelyEndBytes, verifyParity);
  }

  /** The same with parity read too, or not. */
  public ReadOptions withVerifiedParity(boolean newVerifyParity) {
    return new ReadOptions(pattern, likelyEndBytes, newVerifyParity);
  }
}
