package org.weft.bench.load;

import java.io.IOException;

/** Compares whole files with what the loads write under their names. One thread. */
public final class FileCheck {
  private static final int CHUNK_BYTES = 1 << 20;

  private final BenchFiles files;
  private final Pattern pattern = new Pattern(CHUNK_BYTES);
  private final byte[] buffer = new byte[CHUNK_BYTES];

  public FileCheck(BenchFiles files) {
    this.files = files;
  }

  /**
   * Fails unless the file is as it was written.
   *
   * @param lengthBytes -1: it must not be there
   */
  public void check(String path, long lengthBytes) throws IOException {
    long found = files.lengthBytes(path);
    if (found != lengthBytes) {
      throw new IOException(
          path + " has " + said(found) + " for another client, it must have " + said(lengthBytes));
    }
    if (found <= 0) {
      return;
    }
    try (BenchFiles.Input in = files.open(path)) {
      for (long offset = 0; offset < found; offset += CHUNK_BYTES) {
        int length = (int) Math.min(CHUNK_BYTES, found - offset);
        in.readFully(buffer, length);
        pattern.verify(path, offset, buffer, length);
      }
    }
  }

  private static String said(long lengthBytes) {
    return lengthBytes < 0 ? "no entry" : lengthBytes + " bytes";
  }
}
