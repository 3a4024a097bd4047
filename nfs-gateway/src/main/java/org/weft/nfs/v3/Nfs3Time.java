package org.weft.nfs.v3;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * nfstime3, RFC 1813 section 2.6: seconds and nanoseconds since 1970, both unsigned 32 bits. What
 * lies outside becomes the nearest that there is.
 */
final class Nfs3Time {
  private static final long NANOS = 1_000_000_000;
  private static final long MAX_SECONDS = 0xffff_ffffL;

  private Nfs3Time() {}

  static long read(XdrReader in) throws MalformedXdrException {
    long seconds = in.uint32();
    long nanos = in.uint32();
    if (nanos >= NANOS) {
      throw new MalformedXdrException("a second has no " + nanos + " nanoseconds");
    }
    return seconds * NANOS + nanos;
  }

  static void write(XdrWriter out, long nanos) {
    long inRange = Math.max(0, Math.min(nanos, MAX_SECONDS * NANOS + NANOS - 1));
    out.int32((int) (inRange / NANOS)).int32((int) (inRange % NANOS));
  }
}
