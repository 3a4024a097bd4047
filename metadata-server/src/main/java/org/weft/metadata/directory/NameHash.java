package org.weft.metadata.directory;

/**
 * Gives a name its place in a directory: a 63-bit number whose low {@value #NUMBER_BITS} bits are
 * zero. There the entry's stored collision number goes, 1..255, which makes the place a cookie (P
 * 6.7).
 */
@FunctionalInterface
interface NameHash {
  int NUMBER_BITS = 8;
  int MAX_NUMBER = (1 << NUMBER_BITS) - 1;

  /** Bits of a place that tell entries apart, from bit 62 down. */
  int PLACE_BITS = 63 - NUMBER_BITS;

  /** The keyed hash of every real directory. */
  NameHash KEYED = (key, name) -> SipHash.hash(key, name) >>> 1 & ~(long) MAX_NUMBER;

  long placeOf(HashKey key, byte[] name);

  /** The place in a cookie. */
  static long placeOfCookie(long cookie) {
    return cookie & ~(long) MAX_NUMBER;
  }

  static int numberOfCookie(long cookie) {
    return (int) cookie & MAX_NUMBER;
  }
}
