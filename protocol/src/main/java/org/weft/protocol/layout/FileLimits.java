package org.weft.protocol.layout;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Bounds the length of files and of their components (P 4.3). Clients, managers and OSDs share one
 * limit, so a manager journals nothing that an OSD refuses afterwards.
 *
 * <p>A component never reaches further than its file, except for the rest of its last unit. Stripe
 * n of a file is at most stripe n of its group, and each stripe has at least one data unit. So a
 * file of a legal length asks for legal offsets alone, whatever its layout.
 */
public final class FileLimits {
  /** Longest file, in bytes. */
  public static final long MAX_FILE_BYTES = 1L << 60;

  /** Longest component, in bytes: a multiple of a block. */
  public static final long MAX_COMPONENT_BYTES = MAX_FILE_BYTES + Layout.MAX_UNIT_BYTES;

  private FileLimits() {}

  /** True for a length that a file may have, which is also a position that may be written to. */
  public static boolean isFileLength(long bytes) {
    return bytes >= 0 && bytes <= MAX_FILE_BYTES;
  }

  /**
   * Says that a length or a position is outside a file's limits.
   *
   * @param what like "a length"
   */
  public static String outsideFile(String what, long bytes) {
    return what + " must be 0.." + MAX_FILE_BYTES + " bytes, got " + bytes;
  }

  /**
   * Checks a length of a file.
   *
   * @param what like "a length"
   * @throws WeftException INVALID_ARGUMENT with the limit and the value if no file has that length
   */
  public static void requireFileLength(String what, long bytes) throws WeftException {
    if (!isFileLength(bytes)) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, outsideFile(what, bytes));
    }
  }
}
