package org.weft.nfs.nlm;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * A range of bytes as nlm4_lock and nlm4_holder have it.
 *
 * @param offset unsigned
 * @param length unsigned; 0 reaches to the end, however long the file becomes
 */
public record NlmRange(long offset, long length) {
  static NlmRange read(XdrReader in) throws MalformedXdrException {
    return new NlmRange(in.int64(), in.int64());
  }

  void write(XdrWriter out) {
    out.int64(offset).int64(length);
  }
}
