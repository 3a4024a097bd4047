package org.weft.osd.store.engine.change;

import java.io.IOException;

/** No blocks for a write at this moment; says what may help. */
final class ShortOfSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean segmentsCanGrow;

  ShortOfSpaceException(boolean segmentsCanGrow) {
    super("short of space");
    this.segmentsCanGrow = segmentsCanGrow;
  }

  /** It is caught where it is expected: where it came from tells nothing. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  boolean segmentsCanGrow() {
    return segmentsCanGrow;
  }
}
