package org.weft.client.file;

import org.weft.protocol.layout.FileLimits;

/** The range of a file's length. */
public final class FileLengths {
  private FileLengths() {}

  /**
   * Checks a length before anything is opened for it.
   *
   * @throws IllegalArgumentException if no file can have it
   */
  public static void require(String path, long sizeBytes) {
    if (!FileLimits.isFileLength(sizeBytes)) {
      throw new IllegalArgumentException(
          path + ": " + FileLimits.outsideFile("a length", sizeBytes));
    }
  }
}
