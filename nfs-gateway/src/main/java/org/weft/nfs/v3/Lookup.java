package org.weft.nfs.v3;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.Answer;
import org.weft.nfs.files.Attributes;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileType;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** LOOKUP, RFC 1813 section 3.3.3. */
final class Lookup extends Procedure<DirOp> {
  /** LOOKUP3resok. */
  record Done(byte[] object, PostOp attributes, PostOp directory) implements RpcReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number()).opaque(object);
      attributes.write(out);
      directory.write(out);
    }
  }

  Lookup(Nfs3 nfs) {
    super(nfs);
  }

  @Override
  DirOp arguments(XdrReader in) throws MalformedXdrException {
    return DirOp.read(in);
  }

  @Override
  CompletionStage<? extends RpcReply> answer(RpcCall call, DirOp what) throws FileException {
    var entry = nfs.gate().enter(what.directory(), call);
    return found(entry, FileName.text(what.nameBytes()))
        .thenApply(
            found ->
                new Done(
                    nfs.gate().handle(entry.export(), found.node().id()),
                    postOp(found.node()),
                    postOp(found.directory())));
  }

  private CompletionStage<Answer.Found> found(Gatekeeper.Entry entry, String name)
      throws FileException {
    boolean above = FileName.isDotDot(name);
    if (FileName.isDot(name) || (above && entry.isRoot())) {
      return nfs.files().attributes(entry.by(), entry.file()).thenCompose(Lookup::itself);
    }
    return above
        ? nfs.files().parent(entry.by(), entry.file())
        : nfs.files().lookUp(entry.by(), entry.file(), new FileName(name));
  }

  private static CompletionStage<Answer.Found> itself(Attributes node) {
    return node.type() == FileType.DIRECTORY
        ? CompletableFuture.completedFuture(new Answer.Found(node, node))
        : CompletableFuture.failedFuture(
            new FileException(
                FileError.NOT_DIRECTORY, node.id() + " is no directory", Touched.directory(node)));
  }

  @Override
  RpcReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status, postOp(touched.directory()));
  }
}
