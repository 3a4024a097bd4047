package org.weft.nfs.oncrpc;

/**
 * Distinguishes a repeat of a call from another call with the same number.
 *
 * @param checksum a CRC32C, by which earlier releases know a call. Each program that shares the
 *     client's address can shape it
 * @param high the first eight of 16 bytes of SHA-256, see {@link CallMarker}
 * @param low the others
 */
public record CallMark(int checksum, long high, long low) {
  /** The mark of a call whose repeat is executed like any other. */
  public static final CallMark NONE = new CallMark(0, 0, 0);
}
