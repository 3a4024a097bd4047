package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.ServiceLimits;
import org.weft.nfs.oncrpc.XdrWriter;

/** FSINFO, RFC 1813 section 3.3.19. */
final class FsInfo extends NodeProcedure {
  /** Hard links, symbolic links, the same everywhere, and times can be set to the nanosecond. */
  private static final int PROPERTIES = 0x1 | 0x2 | 0x8 | 0x10;

  /** Any multiple does for reading. */
  private static final int READ_MULTIPLE_BYTES = 4_096;

  FsInfo(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  CompletionStage<Nfs3Result> answer(Gatekeeper.Entry node) {
    return nfs.files()
        .attributes(node.by(), node.file())
        .thenApply(root -> Nfs3Result.ok(postOp(root), this::writeLimits));
  }

  private void writeLimits(XdrWriter out) {
    ServiceLimits limits = nfs.files().limits();
    // rtmax, rtpref, rtmult; wtmax, wtpref, wtmult; dtpref.
    out.int32(limits.mostReadBytes()).int32(limits.mostReadBytes()).int32(READ_MULTIPLE_BYTES);
    out.int32(limits.mostWriteBytes()).int32(limits.mostWriteBytes());
    out.int32(limits.stripeBytes());
    out.int32(limits.mostListBytes());
    out.int64(limits.mostFileBytes());
    // time_delta: a nanosecond.
    out.int32(0).int32(1);
    out.int32(PROPERTIES);
  }
}
