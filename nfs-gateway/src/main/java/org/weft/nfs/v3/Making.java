package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NewNode;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.Identities;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;

/** What CREATE, MKDIR, SYMLINK and MKNOD have in common: a new entry, and its handle in return. */
abstract class Making<A> extends Procedure<A> {
  Making(Nfs3Services nfs) {
    super(nfs, Repeats.ANSWERED_AS_THE_FIRST);
  }

  final Gatekeeper.Entry enter(DirOp where, RpcCall call) throws FileException {
    return nfs.gate().enterToChange(where.directory(), call);
  }

  /** The name of the new entry: "." and ".." are there already. */
  final FileName newName(DirOp where) throws FileException {
    String text = FileName.text(where.nameBytes());
    if (FileName.isDot(text) || FileName.isDotDot(text)) {
      throw new FileException(FileError.EXISTS, "'" + text + "' is in every directory");
    }
    return new FileName(text);
  }

  final Identities identities() {
    return nfs.gate().identities();
  }

  final CompletionStage<Nfs3Result> make(RpcCall call, DirOp where, NewNode node)
      throws FileException {
    Gatekeeper.Entry entry = enter(where, call);
    return made(entry, nfs.files().make(entry.by(), entry.file(), newName(where), node));
  }

  /** CREATE3resok, and the same of MKDIR, SYMLINK and MKNOD: RFC 1813 sections 3.3.8 to 3.3.11. */
  final CompletionStage<Nfs3Result> made(
      Gatekeeper.Entry entry, CompletionStage<Answers.Made> making) {
    return making.thenApply(
        made ->
            Nfs3Result.ok(
                // post_op_fh3: the handle is always known.
                out -> out.bool(true),
                handle(entry.export(), made.node().id()),
                postOp(made.node()),
                wcc(made.directory())));
  }

  @Override
  final OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.directory()));
  }
}
