package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** PATHCONF, RFC 1813 section 3.3.20. */
final class PathConf extends Procedure<PathConf.Arguments> {
  record Arguments(byte[] object) {}

  /** PATHCONF3resok. */
  record Done(PostOp object, int mostLinks) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      object.write(out);
      out.int32(mostLinks).int32(FileName.MOST_BYTES);
      // no_trunc, chown_restricted; not case_insensitive, case_preserving.
      out.bool(true).bool(true).bool(false).bool(true);
    }
  }

  PathConf(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in));
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.object(), call);
    return nfs.files()
        .attributes(entry.by(), entry.file())
        .thenApply(node -> new Done(postOp(node), nfs.files().limits().mostLinks()));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status, postOp(touched.node()));
  }
}
