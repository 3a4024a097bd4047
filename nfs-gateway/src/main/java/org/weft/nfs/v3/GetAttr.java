package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** GETATTR, RFC 1813 section 3.3.1. */
final class GetAttr extends Procedure<GetAttr.Arguments> {
  record Arguments(byte[] object) {}

  /** GETATTR3resok. */
  record Done(Fattr3 attributes) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      attributes.write(out);
    }
  }

  GetAttr(Nfs3Services nfs) {
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
        .thenApply(node -> new Done(fattr(node)));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status);
  }
}
