package org.weft.osd.store;

import java.io.IOException;

/** The disk under the store is full; nothing was written, and there is nothing to repair. */
public final class OutOfSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  public OutOfSpaceException(String message) {
    super(message);
  }

  /** True if a disk failed with this because it, or a quota, is full. */
  public static boolean caused(IOException failure) {
    String text = String.valueOf(failure.getMessage());
    return failure instanceof OutOfSpaceException
        || text.contains("No space left on device")
        || text.contains("Disk quota exceeded");
  }
}
