package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileName;
import org.weft.nfs.oncrpc.XdrWriter;

/** PATHCONF, RFC 1813 section 3.3.20. */
final class PathConf extends NodeProcedure {
  PathConf(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  CompletionStage<Nfs3Result> answer(Gatekeeper.Entry node) {
    return nfs.files()
        .attributes(node.by(), node.file())
        .thenApply(attributes -> Nfs3Result.ok(postOp(attributes), this::writeLimits));
  }

  private void writeLimits(XdrWriter out) {
    out.int32(nfs.files().limits().mostLinks()).int32(FileName.MAX_BYTES);
    // no_trunc, chown_restricted; not case_insensitive, case_preserving.
    out.bool(true).bool(true).bool(false).bool(true);
  }
}
