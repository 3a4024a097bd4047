package org.weft.osd.store.engine.change;

/** No blocks for a write at this moment; says what may help. */
final class ShortOfSpaceException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean segmentsCanGrow;

  ShortOfSpaceException(boolean segmentsCanGrow) {
    super("short of space", null, false, false);
    this.segmentsCanGrow = segmentsCanGrow;
  }

  boolean segmentsCanGrow() {
    return segmentsCanGrow;
  }
}
