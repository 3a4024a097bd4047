package org.weft.client.stripe.base;

import java.nio.ByteBuffer;

/** Zeros by the page. */
public final class Zeros {
  private static final ByteBuffer PAGE = ByteBuffer.allocateDirect(4096).asReadOnlyBuffer();

  private Zeros() {}

  /** True if the buffer holds nothing else from {@code index} to its end. */
  public static boolean are(ByteBuffer bytes, int index) {
    int done = index;
    while (done < bytes.capacity()) {
      int now = Math.min(PAGE.capacity(), bytes.capacity() - done);
      if (!bytes.slice(done, now).equals(PAGE.slice(0, now))) {
        return false;
      }
      done += now;
    }
    return true;
  }

  /** Overwrites {@code count} bytes of the buffer from {@code index}. */
  public static void fill(ByteBuffer into, int index, int count) {
    int done = 0;
    while (done < count) {
      int now = Math.min(PAGE.capacity(), count - done);
      into.put(index + done, PAGE, 0, now);
      done += now;
    }
  }
}
