package org.weft.soak;

/**
 * One operation of a client, as its log names it.
 *
 * @param number of this client's lane; no two operations of a run have the same
 * @param path the file that it is about
 * @param other {@link Kind#RENAME}: the new name; {@link Kind#UPDATED}: the layout; else "-"
 * @param position where it begins, or the length that it sets
 * @param length in bytes, of the written or punched range
 */
record SoakOp(long number, Kind kind, String path, String other, int position, int length) {
  static final String NOTHING = "-";

  /** What clients do. */
  enum Kind {
    /** Makes an empty file and opens it for changes at any position. */
    UPDATED,
    WRITE,
    SET_LENGTH,
    PUNCH,
    HFLUSH,
    HSYNC,
    REOPEN,
    /** Makes an empty file that grows at its end. */
    GROWING,
    /** Appends, and publishes what was appended. */
    GROW,
    CLOSE,
    /** A whole file, acknowledged when it is closed. */
    STREAM,
    RENAME,
    UNLINK,
    /** Reads a file of another client beside it, and compares. */
    READ,
    /** Takes a file from a client that was killed or frozen. */
    TAKE;

    /** The manager has to answer before it is acknowledged. */
    boolean needsManager() {
      return switch (this) {
        case UPDATED, GROWING, GROW, STREAM, RENAME, UNLINK -> true;
        default -> false;
      };
    }
  }

  static SoakOp parse(String[] words, int first) {
    return new SoakOp(
        Long.parseLong(words[first]),
        Kind.valueOf(words[first + 1]),
        words[first + 2],
        words[first + 3],
        Integer.parseInt(words[first + 4]),
        Integer.parseInt(words[first + 5]));
  }

  byte[] bytes() {
    return BytePattern.bytes(number, position, length);
  }

  /** As it stands in a log. */
  @Override
  public String toString() {
    return number + " " + kind + " " + path + " " + other + " " + position + " " + length;
  }
}
