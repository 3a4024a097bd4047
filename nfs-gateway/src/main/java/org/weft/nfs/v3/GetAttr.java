package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.OncReply;

/** GETATTR, RFC 1813 section 3.3.1. */
final class GetAttr extends NodeProcedure {
  GetAttr(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  CompletionStage<Nfs3Result> answer(Gatekeeper.Entry node) {
    return nfs.files()
        .attributes(node.by(), node.file())
        .thenApply(attributes -> Nfs3Result.ok(fattr(attributes)));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status);
  }
}
