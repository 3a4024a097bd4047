package org.weft.osd.store;

import java.io.IOException;

/** The disk under the store is full; nothing was written, and there is nothing to repair. */
public final class OutOfSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean reserveUsedUp;

  public OutOfSpaceException(String message) {
    this(message, false);
  }

  private OutOfSpaceException(String message, boolean reserveUsedUp) {
    super(message);
    this.reserveUsedUp = reserveUsedUp;
  }

  /** What others wait for cannot be written either. */
  public static OutOfSpaceException ofReserve(String message) {
    return new OutOfSpaceException(message, true);
  }

  /** The space that is kept for what others wait for is used up, too. */
  public boolean isReserveUsedUp() {
    return reserveUsedUp;
  }

  /** True if a disk failed with this because it, or a quota, is full. */
  public static boolean caused(IOException failure) {
    String text = String.valueOf(failure.getMessage());
    return failure instanceof OutOfSpaceException
        || text.contains("No space left on device")
        || text.contains("Disk quota exceeded");
  }
}
