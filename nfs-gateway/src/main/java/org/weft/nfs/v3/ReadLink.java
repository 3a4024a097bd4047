package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** READLINK, RFC 1813 section 3.3.5. */
final class ReadLink extends Procedure<ReadLink.Arguments> {
  record Arguments(byte[] symlink) {}

  /** READLINK3resok. */
  record Done(PostOp symlink, byte[] target) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      symlink.write(out);
      out.opaque(target);
    }
  }

  ReadLink(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in));
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.symlink(), call);
    return nfs.files()
        .readLink(entry.by(), entry.file())
        .thenApply(found -> new Done(postOp(found.node()), found.target()));
  }

  @Override
  int mostReplyBytes(Arguments arguments) {
    return Symlink.MOST_TARGET_BYTES + USUAL_REPLY_BYTES;
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status, postOp(touched.node()));
  }
}
