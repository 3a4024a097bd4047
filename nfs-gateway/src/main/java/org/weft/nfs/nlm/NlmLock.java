package org.weft.nfs.nlm;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * nlm4_lock, RFC 1813 section 6.1.2: a range of a file, and its owner.
 *
 * @param client the name by which its host tells that it has started again
 * @param file a handle
 * @param owner one of the client's
 * @param process the client's number for the process that asks
 */
public record NlmLock(String client, NetObject file, NetObject owner, int process, NlmRange range) {
  /** LM_MAXSTRLEN. */
  public static final int MAX_NAME_BYTES = 1_024;

  static NlmLock read(XdrReader in) throws MalformedXdrException {
    return new NlmLock(
        in.string(MAX_NAME_BYTES),
        NetObject.read(in),
        NetObject.read(in),
        in.int32(),
        NlmRange.read(in));
  }

  void write(XdrWriter out) {
    out.string(client);
    file.write(out);
    owner.write(out);
    out.int32(process);
    range.write(out);
  }
}
