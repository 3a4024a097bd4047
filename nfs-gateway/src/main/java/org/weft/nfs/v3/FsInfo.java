package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.ServiceLimits;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** FSINFO, RFC 1813 section 3.3.19. */
final class FsInfo extends Procedure<FsInfo.Arguments> {
  /** Hard links, symbolic links, the same everywhere, and times can be set to the nanosecond. */
  private static final int PROPERTIES = 0x1 | 0x2 | 0x8 | 0x10;

  /** Any multiple does for reading. */
  private static final int READ_MULTIPLE_BYTES = 4_096;

  record Arguments(byte[] root) {}

  /** FSINFO3resok. */
  record Done(PostOp root, ServiceLimits limits) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      root.write(out);
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

  FsInfo(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in));
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.root(), call);
    return nfs.files()
        .attributes(entry.by(), entry.file())
        .thenApply(node -> new Done(postOp(node), nfs.files().limits()));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status, postOp(touched.node()));
  }
}
