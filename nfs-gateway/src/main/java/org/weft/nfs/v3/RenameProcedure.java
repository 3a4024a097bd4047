package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** RENAME, RFC 1813 section 3.3.14. */
final class RenameProcedure extends Procedure<RenameProcedure.Arguments> {
  /** RENAME3args. */
  record Arguments(DirOp from, DirOp to) {}

  RenameProcedure(Nfs3Services nfs) {
    super(nfs, Repeats.ANSWERED_AS_THE_FIRST);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.read(in), DirOp.read(in));
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    Gatekeeper.Entry from = nfs.gate().enterToChange(arguments.from().directory(), call);
    Gatekeeper.Entry to = nfs.gate().enterToChange(arguments.to().directory(), call);
    if (from.export().id() != to.export().id()) {
      throw new FileException(FileError.CROSS_VOLUME, "names do not move between exports");
    }
    return nfs.files()
        .rename(from.by(), from.file(), arguments.from().name(), to.file(), arguments.to().name())
        .thenApply(renamed -> Nfs3Result.ok(wcc(renamed.from()), wcc(renamed.to())));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.directory()), wcc(touched.target()));
  }
}
