package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** LINK, RFC 1813 section 3.3.15. */
final class Link extends Procedure<Link.Arguments> {
  /** LINK3args. */
  record Arguments(byte[] file, DirOp link) {}

  Link(Nfs3Services nfs) {
    super(nfs, Repeats.ANSWERED_AS_THE_FIRST);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in), DirOp.read(in));
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    Gatekeeper.Entry file = nfs.gate().enterToChange(arguments.file(), call);
    Gatekeeper.Entry directory = nfs.gate().enterToChange(arguments.link().directory(), call);
    if (file.export().id() != directory.export().id()) {
      throw new FileException(FileError.CROSS_VOLUME, "links do not reach into another export");
    }
    FileName name = arguments.link().name();
    return nfs.files()
        .link(file.by(), file.file(), directory.file(), name)
        .thenApply(linked -> Nfs3Result.ok(postOp(linked.node()), wcc(linked.directory())));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, postOp(touched.node()), wcc(touched.directory()));
  }
}
