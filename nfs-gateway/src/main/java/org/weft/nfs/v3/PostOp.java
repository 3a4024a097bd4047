package org.weft.nfs.v3;

import java.util.Optional;
import org.weft.nfs.oncrpc.XdrWriter;

/** post_op_attr, RFC 1813 section 2.6: attributes where they are known. */
record PostOp(Optional<Fattr3> attributes) implements ResultPart {
  static final PostOp NONE = new PostOp(Optional.empty());

  static final int MAX_BYTES = Integer.BYTES + Fattr3.BYTES;

  @Override
  public void write(XdrWriter out) {
    out.bool(attributes.isPresent());
    attributes.ifPresent(known -> known.write(out));
  }
}
