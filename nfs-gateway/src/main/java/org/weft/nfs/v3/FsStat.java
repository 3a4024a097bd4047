package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.oncrpc.XdrWriter;

/** FSSTAT, RFC 1813 section 3.3.18. */
final class FsStat extends NodeProcedure {
  FsStat(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  CompletionStage<Nfs3Result> answer(Gatekeeper.Entry node) {
    return nfs.files()
        .space(node.by(), node.file())
        .thenApply(space -> Nfs3Result.ok(postOp(space.node()), out -> write(space, out)));
  }

  /** What is free is free for all users. */
  private static void write(FileReply.Space space, XdrWriter out) {
    out.int64(space.totalBytes()).int64(space.freeBytes()).int64(space.freeBytes());
    out.int64(space.totalFiles()).int64(space.freeFiles()).int64(space.freeFiles());
    // invarsec: it may change at any moment.
    out.int32(0);
  }
}
