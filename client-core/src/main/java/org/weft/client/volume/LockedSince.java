package org.weft.client.volume;

import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/**
 * Notes what an owner did with a file's bytes while a lock that it asked for was under way; the
 * last word about each byte. Immutable.
 *
 * @param locked was given, or is asked for and may have been given by now
 * @param exclusive those of them that are not to be shared instead
 * @param unlocked was asked to be unlocked
 */
public record LockedSince(ByteRanges locked, ByteRanges exclusive, ByteRanges unlocked) {
  public static final LockedSince NOTHING =
      new LockedSince(ByteRanges.NONE, ByteRanges.NONE, ByteRanges.NONE);

  /** It locked a range. */
  public LockedSince withLocked(ByteRange range, boolean exclusively) {
    return new LockedSince(
        locked.plus(range),
        exclusively ? exclusive.plus(range) : exclusive.minus(range),
        unlocked.minus(range));
  }

  /** It asked to unlock a range. */
  public LockedSince withUnlocked(ByteRange range) {
    return new LockedSince(locked.minus(range), exclusive.minus(range), unlocked.plus(range));
  }
}
