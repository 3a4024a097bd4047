package org.weft.nfs.v3;

import java.util.Optional;
import org.weft.client.ids.BeforeChange;
import org.weft.nfs.oncrpc.XdrWriter;

/** wcc_data, RFC 1813 section 2.6: what a node was before the operation, and after it. */
record Wcc(Optional<BeforeChange> before, PostOp after) implements ResultPart {
  static final Wcc UNKNOWN = new Wcc(Optional.empty(), PostOp.NONE);

  @Override
  public void write(XdrWriter out) {
    out.bool(before.isPresent());
    before.ifPresent(
        known -> {
          out.int64(known.sizeBytes());
          Nfs3Time.write(out, known.mtimeNanos());
          Nfs3Time.write(out, known.ctimeNanos());
        });
    after.write(out);
  }
}
