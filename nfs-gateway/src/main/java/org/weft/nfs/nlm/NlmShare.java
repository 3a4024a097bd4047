package org.weft.nfs.nlm;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * nlm4_share, RFC 1813 section 6.1.2: how a DOS client opened a file, and what it lets others do.
 *
 * @param mode fsh4_mode: 0 denies nothing, 1 reading, 2 writing, 3 both
 * @param access fsh4_access: 0 none, 1 reading, 2 writing, 3 both
 */
public record NlmShare(String client, NetObject file, NetObject owner, int mode, int access) {
  private static final int WRITE = 2;
  private static final int BOTH = 3;

  static NlmShare read(XdrReader in) throws MalformedXdrException {
    return new NlmShare(
        in.string(NlmLock.MAX_NAME_BYTES),
        NetObject.read(in),
        NetObject.read(in),
        in.choice(BOTH),
        in.choice(BOTH));
  }

  /** The file is open for writing. */
  public boolean writes() {
    return (access & WRITE) != 0;
  }

  void write(XdrWriter out) {
    out.string(client);
    file.write(out);
    owner.write(out);
    out.int32(mode).int32(access);
  }
}
