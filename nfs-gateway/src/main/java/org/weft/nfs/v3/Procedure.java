package org.weft.nfs.v3;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * A procedure of NFS version 3: reads its arguments, asks the file service, and makes a result of
 * the answer or of the failure.
 *
 * @param <A> its arguments
 */
abstract class Procedure<A> implements RpcProcedure {
  private static final Logger LOG = LoggerFactory.getLogger(Procedure.class);

  private static final CompletableFuture<Void> LEARNT = CompletableFuture.completedFuture(null);

  /** Handles, attributes of three nodes and a name. */
  static final int USUAL_REPLY_BYTES = 512;

  final Nfs3Services nfs;
  private final Repeats repeats;

  Procedure(Nfs3Services nfs) {
    this(nfs, Repeats.CARRIED_OUT);
  }

  Procedure(Nfs3Services nfs, Repeats repeats) {
    this.nfs = nfs;
    this.repeats = repeats;
  }

  abstract A arguments(XdrReader in) throws MalformedXdrException;

  /** Does it; what fails with {@link FileException} becomes {@link #failed}. */
  abstract CompletionStage<? extends OncReply> answer(RpcCall call, A arguments)
      throws FileException;

  /** The result of the kind resfail. */
  abstract OncReply failed(Nfs3Status status, Touched touched);

  /** Attributes that are to be set. */
  Optional<Sattr3> attributes(A arguments) {
    return Optional.empty();
  }

  int mostReplyBytes(A arguments) {
    return USUAL_REPLY_BYTES;
  }

  /** The arguments of the same call with a reply of so many bytes at most, where there is one. */
  A within(A arguments, int replyBytes) {
    return arguments;
  }

  /** Gives back what the arguments hold, if it is not given to the file service. */
  void drop(A arguments) {}

  @Override
  public final Repeats repeats() {
    return repeats;
  }

  @Override
  public final RpcTask read(XdrReader in) throws MalformedXdrException {
    return task(arguments(in));
  }

  private RpcTask task(A arguments) {
    return new RpcTask() {
      @Override
      public CompletionStage<OncReply> run(RpcCall call) {
        return Procedure.this.run(call, arguments);
      }

      @Override
      public int mostReplyBytes() {
        return Procedure.this.mostReplyBytes(arguments);
      }

      @Override
      public RpcTask within(int replyBytes) {
        return mostReplyBytes() <= replyBytes
            ? this
            : task(Procedure.this.within(arguments, replyBytes));
      }

      @Override
      public void drop() {
        Procedure.this.drop(arguments);
      }
    };
  }

  private CompletionStage<OncReply> run(RpcCall call, A arguments) {
    CompletableFuture<Void> learning =
        attributes(arguments).map(set -> nfs.gate().learn(call, set.numbers())).orElse(LEARNT);
    return learning.isDone()
        ? carryOut(call, arguments)
        : learning.thenCompose(done -> carryOut(call, arguments));
  }

  private CompletionStage<OncReply> carryOut(RpcCall call, A arguments) {
    CompletionStage<? extends OncReply> stage;
    try {
      stage = answer(call, arguments);
    } catch (FileException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.handle((reply, failure) -> failure == null ? reply : failed(call, failure));
  }

  private OncReply failed(RpcCall call, Throwable thrown) {
    FileException failure = FileException.of(thrown);
    if (failure.error() == FileError.INTERNAL) {
      LOG.error("{} failed", call, failure.getCause() == null ? failure : failure.getCause());
    } else {
      LOG.debug("{}: {}", call, failure);
    }
    return failed(Nfs3Status.of(failure.error()), failure.touched());
  }

  final Fattr3 fattr(NodeAttributes node) {
    return Fattr3.of(node, nfs.gate().identities());
  }

  /** nfs_fh3. */
  final ResultPart handle(Export export, NodeId node) {
    byte[] handle = nfs.gate().handle(export, node);
    return out -> out.opaque(handle);
  }

  final PostOp postOp(NodeAttributes node) {
    return new PostOp(Optional.of(fattr(node)));
  }

  final PostOp postOp(NodeChange change) {
    return new PostOp(change.after().map(this::fattr));
  }

  final Wcc wcc(NodeChange change) {
    return new Wcc(change.before(), postOp(change));
  }
}
