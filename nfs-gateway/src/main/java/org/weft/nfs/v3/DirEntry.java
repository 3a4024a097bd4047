package org.weft.nfs.v3;

import java.util.Optional;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * An entry of a listing: entry3 and entryplus3, RFC 1813 sections 3.3.16 and 3.3.17.
 *
 * @param handle of the plus form, where it is known
 */
record DirEntry(long fileId, byte[] name, long cookie, PostOp attributes, Optional<byte[]> handle) {
  /** "Another entry follows", file id, length of the name, cookie. */
  private static final int FIXED_BYTES = 4 + 8 + 4 + 8;

  /** The smallest entry that there is. */
  static final int MIN_BYTES = FIXED_BYTES + 4;

  /** Bytes of entry3, with the preceding word that says that it follows. */
  int bytes() {
    return FIXED_BYTES + padded(name.length);
  }

  /** Bytes of entryplus3. */
  int plusBytes() {
    return bytes()
        + 4
        + (attributes.attributes().isPresent() ? Fattr3.BYTES : 0)
        + 4
        + handle.map(bytes -> 4 + padded(bytes.length)).orElse(0);
  }

  private static int padded(int bytes) {
    return (bytes + 3) & ~3;
  }

  void write(XdrWriter out) {
    out.bool(true).int64(fileId).opaque(name).int64(cookie);
  }

  void writePlus(XdrWriter out) {
    write(out);
    attributes.write(out);
    out.bool(handle.isPresent());
    handle.ifPresent(out::opaque);
  }
}
