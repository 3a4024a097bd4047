package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;

/** READLINK, RFC 1813 section 3.3.5. */
final class ReadLink extends NodeProcedure {
  ReadLink(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  CompletionStage<Nfs3Result> answer(Gatekeeper.Entry node) {
    return nfs.files()
        .readLink(node.by(), node.file())
        .thenApply(
            link ->
                Nfs3Result.ok(postOp(link), out -> out.opaque(link.symlinkTarget().toByteArray())));
  }

  @Override
  int mostReplyBytes(byte[] handle) {
    return Symlink.MAX_TARGET_BYTES + USUAL_REPLY_BYTES;
  }
}
