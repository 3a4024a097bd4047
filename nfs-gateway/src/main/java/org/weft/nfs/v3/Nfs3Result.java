package org.weft.nfs.v3;

import java.util.List;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrWriter;

/** The result of a procedure: its status, then what the RFC lets follow that status. */
record Nfs3Result(Nfs3Status status, List<ResultPart> parts) implements OncReply {
  /** The result of the kind resok. */
  static Nfs3Result ok(ResultPart... parts) {
    return of(Nfs3Status.OK, parts);
  }

  static Nfs3Result of(Nfs3Status status, ResultPart... parts) {
    return new Nfs3Result(status, List.of(parts));
  }

  @Override
  public void write(XdrWriter out) {
    out.int32(status.number());
    parts.forEach(part -> part.write(out));
  }
}
