package org.weft.simulator.check;

import org.weft.simulator.model.Fill;

/** The bytes that a change gives to its range. */
@FunctionalInterface
interface Content {
  Content ZEROS = offset -> 0;

  byte at(long offset);

  /** What a write of that number writes. */
  static Content of(int write) {
    return offset -> Fill.at(write, offset);
  }

  /** What was read at a position. */
  static Content seen(long position, byte[] bytes) {
    return offset -> bytes[(int) (offset - position)];
  }
}
