package org.weft.nfs.v3;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** LOOKUP, RFC 1813 section 3.3.3. */
final class Lookup extends Procedure<DirOp> {
  /** Directories below each other. */
  private static final int MAX_DEPTH = 4_096;

  Lookup(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  DirOp arguments(XdrReader in) throws MalformedXdrException {
    return DirOp.read(in);
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, DirOp what) throws FileException {
    var entry = nfs.gate().enter(what.directory(), call);
    return found(entry, FileName.text(what.nameBytes()))
        .thenApply(
            found ->
                Nfs3Result.ok(
                    handle(entry.export(), found.node().id()),
                    postOp(found.node()),
                    postOp(found.directory())));
  }

  private CompletionStage<Answers.Found> found(Gatekeeper.Entry entry, String name)
      throws FileException {
    boolean above = FileName.isDotDot(name);
    if (FileName.isDot(name) || (above && entry.isRoot())) {
      return nfs.files().attributes(entry.by(), entry.file()).thenCompose(Lookup::itself);
    }
    return above
        ? nfs.files()
            .parent(entry.by(), entry.file())
            .thenCompose(
                found -> inside(entry, found.node().id(), MAX_DEPTH).thenApply(nothing -> found))
        : nfs.files().lookUp(entry.by(), entry.file(), new FileName(name));
  }

  /**
   * Completes if the directory lies in the export. A directory that was moved out still has
   * handles, which must not lead to what is above. Looked at as the superuser.
   */
  private CompletionStage<Void> inside(Gatekeeper.Entry entry, NodeId directory, int left) {
    if (entry.export().root().filter(directory::equals).isPresent()) {
      return CompletableFuture.completedFuture(null);
    }
    Request own = new Request(new OnBehalfOf("nfs", List.of("nfs"), true), entry.by().origin());
    return nfs.files()
        .parent(own, directory)
        .thenCompose(
            found ->
                found.node().id().equals(directory) || left == 0
                    ? CompletableFuture.<Void>failedFuture(
                        new FileException(
                            FileError.STALE,
                            entry.file() + " lies in " + entry.export().path() + " no more"))
                    : inside(entry, found.node().id(), left - 1));
  }

  private static CompletionStage<Answers.Found> itself(NodeAttributes node) {
    return node.type() == NodeType.DIRECTORY
        ? CompletableFuture.completedFuture(new Answers.Found(node, node))
        : CompletableFuture.failedFuture(
            new FileException(
                FileError.NOT_DIRECTORY, node.id() + " is no directory", Touched.directory(node)));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, postOp(touched.directory()));
  }
}
