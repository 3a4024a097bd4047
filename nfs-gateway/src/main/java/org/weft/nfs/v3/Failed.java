package org.weft.nfs.v3;

import java.util.List;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * The result of a procedure that was not done: its status, and the attributes that the RFC lets
 * follow.
 */
record Failed(Nfs3Status status, List<ResultPart> parts) implements OncReply {
  static Failed of(Nfs3Status status, ResultPart... parts) {
    return new Failed(status, List.of(parts));
  }

  @Override
  public void write(XdrWriter out) {
    out.int32(status.number());
    parts.forEach(part -> part.write(out));
  }
}
