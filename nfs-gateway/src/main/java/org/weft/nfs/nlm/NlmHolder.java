package org.weft.nfs.nlm;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * nlm4_holder, RFC 1813 section 6.1.2: the owner of a lock on a range that was tested.
 *
 * @param process its number for the process, for people to read
 * @param owner as its client names it
 */
public record NlmHolder(boolean exclusive, int process, NetObject owner, NlmRange range) {
  static NlmHolder read(XdrReader in) throws MalformedXdrException {
    return new NlmHolder(in.bool(), in.int32(), NetObject.read(in), NlmRange.read(in));
  }

  void write(XdrWriter out) {
    out.bool(exclusive).int32(process);
    owner.write(out);
    range.write(out);
  }
}
