package org.weft.nfs.files;

import java.nio.ByteBuffer;

/**
 * Distinguishes a request from others with the same number.
 *
 * @param checksum a CRC: what managers of earlier releases know a request by
 * @param high of 16 bytes of a cryptographic hash, the first eight
 * @param low the others
 */
public record RequestMark(int checksum, long high, long low) {
  /** The mark of requests that are executed as often as they come. */
  public static final RequestMark NONE = new RequestMark(0, 0, 0);

  /** The 16 bytes. */
  public byte[] digest() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
  }
}
