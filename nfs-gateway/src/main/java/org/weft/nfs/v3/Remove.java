package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeId;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** REMOVE and RMDIR, RFC 1813 sections 3.3.12 and 3.3.13. */
final class Remove extends Procedure<DirOp> {
  /** Removes a name, of a directory or of anything else. */
  interface Removal {
    CompletionStage<Answers.Removed> remove(Request by, NodeId directory, FileName name);
  }

  private final Removal removal;

  Remove(Nfs3Services nfs, Removal removal) {
    super(nfs, Repeats.ANSWERED_AS_THE_FIRST);
    this.removal = removal;
  }

  @Override
  DirOp arguments(XdrReader in) throws MalformedXdrException {
    return DirOp.read(in);
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, DirOp what) throws FileException {
    var entry = nfs.gate().enterToChange(what.directory(), call);
    return removal
        .remove(entry.by(), entry.file(), what.name())
        .thenApply(removed -> Nfs3Result.ok(wcc(removed.directory())));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.directory()));
  }
}
