package org.weft.client.file;

/** The range of permission bits. */
public final class FileModes {
  private static final int ALL = 07777;

  private FileModes() {}

  /**
   * The mode.
   *
   * @throws IllegalArgumentException if it has other bits than those of permissions
   */
  public static int check(int mode) {
    if ((mode & ~ALL) != 0) {
      throw new IllegalArgumentException(
          "a mode has the bits 07777, got 0" + Integer.toOctalString(mode));
    }
    return mode;
  }
}
