package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** FSSTAT, RFC 1813 section 3.3.18. */
final class FsStat extends Procedure<FsStat.Arguments> {
  record Arguments(byte[] root) {}

  /** FSSTAT3resok; what is free is free for all users. */
  record Done(PostOp root, FileReply.Space space) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      root.write(out);
      out.int64(space.totalBytes()).int64(space.freeBytes()).int64(space.freeBytes());
      out.int64(space.totalFiles()).int64(space.freeFiles()).int64(space.freeFiles());
      // invarsec: it may change at any moment.
      out.int32(0);
    }
  }

  FsStat(Nfs3Services nfs) {
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
        .space(entry.by(), entry.file())
        .thenApply(space -> new Done(postOp(space.node()), space));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status, postOp(touched.node()));
  }
}
