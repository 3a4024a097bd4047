package org.weft.bench.load;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Bytes of which it is known where they belong. Every page of 4 KiB begins with the name of its
 * file and its offset, and goes on with noise. One thread.
 */
final class Pattern {
  static final int PAGE_BYTES = 4 << 10;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int NOISE_SEED = 42;

  private static final int STAMP_BYTES = 2 * Long.BYTES;

  private final byte[] noise = new byte[PAGE_BYTES];
  private final byte[] page = new byte[PAGE_BYTES];
  private final byte[] buffer;

  /**
   * The buffer holds noise in another phase, since bytes at an offset inside a page were asked for.
   */
  private boolean disturbed;

  Pattern(int ioBytes) {
    new SplittableRandom(NOISE_SEED).nextBytes(noise);
    buffer = new byte[ioBytes];
    for (int at = 0; at < ioBytes; at += PAGE_BYTES) {
      System.arraycopy(noise, 0, buffer, at, Math.min(PAGE_BYTES, ioBytes - at));
    }
  }

  static long idOf(String path) {
    long id = 1;
    for (int i = 0; i < path.length(); i++) {
      id = id * 0x9E3779B97F4A7C15L + path.charAt(i);
    }
    return id;
  }

  /** The bytes of a file from an offset on; valid until the next call. */
  byte[] at(long fileId, long offsetBytes, int length) {
    boolean aligned = offsetBytes % PAGE_BYTES == 0;
    disturbed |= !aligned;
    for (int at = 0; at < length; ) {
      long pageStart = (offsetBytes + at) / PAGE_BYTES * PAGE_BYTES;
      int skipped = (int) (offsetBytes + at - pageStart);
      int count = Math.min(PAGE_BYTES - skipped, length - at);
      if (aligned && !disturbed && count >= STAMP_BYTES) {
        // Only the stamp differs from what has been there since the beginning.
        LONGS.set(buffer, at, fileId);
        LONGS.set(buffer, at + Long.BYTES, pageStart);
      } else {
        System.arraycopy(noise, 0, page, 0, PAGE_BYTES);
        LONGS.set(page, 0, fileId);
        LONGS.set(page, Long.BYTES, pageStart);
        System.arraycopy(page, skipped, buffer, at, count);
      }
      at += count;
    }
    return buffer;
  }

  /** Fails unless these are the bytes of that file from that offset on. */
  void verify(String path, long offsetBytes, byte[] read, int length) throws IOException {
    byte[] expected = at(idOf(path), offsetBytes, length);
    int at = java.util.Arrays.mismatch(expected, 0, length, read, 0, length);
    if (at >= 0) {
      throw new IOException(
          path
              + ": byte "
              + (offsetBytes + at)
              + " is "
              + read[at]
              + ", written was "
              + expected[at]);
    }
  }
}
