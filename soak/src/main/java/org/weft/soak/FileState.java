package org.weft.soak;

import java.util.Arrays;

/**
 * What a file holds after some operation.
 *
 * @param published the length that others see while its writer lives
 */
record FileState(byte[] content, int published) {
  static final FileState EMPTY = new FileState(new byte[0], 0);

  static FileState atRest(byte[] content) {
    return new FileState(content, content.length);
  }

  FileState after(SoakOp operation) {
    int position = operation.position();
    return switch (operation.kind()) {
      case UPDATED, GROWING -> EMPTY;
      case WRITE -> new FileState(written(operation), published);
      case GROW, STREAM -> atRest(written(operation));
      case SET_LENGTH -> atRest(Arrays.copyOf(content, position));
      case PUNCH -> new FileState(punched(operation), published);
      case HFLUSH, HSYNC, REOPEN, CLOSE -> atRest(content);
      case RENAME, UNLINK, READ, TAKE -> this;
    };
  }

  private byte[] written(SoakOp operation) {
    int end = operation.position() + operation.length();
    byte[] after = Arrays.copyOf(content, Math.max(content.length, end));
    BytePattern.fill(
        operation.number(), operation.position(), after, operation.position(), operation.length());
    return after;
  }

  private byte[] punched(SoakOp operation) {
    byte[] after = content.clone();
    int end = Math.min(after.length, operation.position() + operation.length());
    if (operation.position() < end) {
      Arrays.fill(after, operation.position(), end, (byte) 0);
    }
    return after;
  }

  /** The byte there; behind the end a file reads as zeros. */
  byte at(int position) {
    return position < content.length ? content[position] : 0;
  }
}
