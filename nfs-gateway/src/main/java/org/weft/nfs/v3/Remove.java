package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** REMOVE, RFC 1813 section 3.3.12. */
final class Remove extends Procedure<DirOp> {
  Remove(Nfs3Services nfs) {
    super(nfs, Repeats.ANSWERED_AS_THE_FIRST);
  }

  @Override
  DirOp arguments(XdrReader in) throws MalformedXdrException {
    return DirOp.read(in);
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, DirOp what) throws FileException {
    var entry = nfs.gate().enterToChange(what.directory(), call);
    return nfs.files()
        .remove(entry.by(), entry.file(), what.name())
        .thenApply(removed -> Nfs3Result.ok(wcc(removed.directory())));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.directory()));
  }
}
