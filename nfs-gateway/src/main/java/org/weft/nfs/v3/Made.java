package org.weft.nfs.v3;

import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrWriter;

/** CREATE3resok, and the same of MKDIR, SYMLINK and MKNOD: RFC 1813 sections 3.3.8 to 3.3.11. */
record Made(byte[] object, PostOp attributes, Wcc directory) implements OncReply {
  @Override
  public void write(XdrWriter out) {
    // post_op_fh3: the handle is always known.
    out.int32(Nfs3Status.OK.number()).bool(true).opaque(object);
    attributes.write(out);
    directory.write(out);
  }
}
