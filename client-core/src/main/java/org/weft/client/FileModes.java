package org.weft.client;

/** The range of permission bits. */
final class FileModes {
  private static final int ALL = 07777;

  private FileModes() {}

  static int check(int mode) {
    if ((mode & ~ALL) != 0) {
      throw new IllegalArgumentException(
          "a mode has the bits 07777, got 0" + Integer.toOctalString(mode));
    }
    return mode;
  }
}
