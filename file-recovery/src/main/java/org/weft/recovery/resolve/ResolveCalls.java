package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.osd.DeltaResult;
import org.weft.client.osd.OsdTarget;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RangeReply;
import org.weft.protocol.wire.ReadDeltaReply;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorWriteRequest;
import org.weft.recovery.plan.ComponentState;
import org.weft.recovery.plan.PendingId;
import org.weft.recovery.plan.WriteDecision;

/**
 * What a manager asks components to do under the ids of dead grants (P 5.5). A component that says
 * that it is of no use, or that is not there any more, fails its call with {@link ComponentLost}.
 */
public final class ResolveCalls {
  private final StripeContext context;
  private final StripedFile file;

  public ResolveCalls(StripeContext context, StripedFile file) {
    this.context = context;
    this.file = file;
  }

  CompletableFuture<ListPendingReply> list(int component) {
    return context
        .osds()
        .listPending(target(component), ListPendingRequest.newBuilder().setObjectId(objectId()));
  }

  CompletableFuture<AbortReply> abort(int component, PendingId id) {
    AbortRequest.Builder request =
        AbortRequest.newBuilder()
            .setObjectId(objectId())
            .setGrant(id.grant())
            .setFirstSeq(id.firstSeq())
            .setSeqCount(id.seqCount());
    return named(component, context.osds().abort(target(component), request));
  }

  /**
   * Writes the unit of a stripe write that the component lacks.
   *
   * @param agreedUpTo of the grant, everything up to there is the same everywhere
   */
  CompletableFuture<WriteReply> write(
      int component, WriteDecision write, ByteBuffer unit, long agreedUpTo) {
    PendingId id = write.id();
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(objectId())
            .setOffset(write.fromBytes())
            .setGrant(id.grant())
            .setFirstSeq(id.firstSeq())
            .setSeqCount(id.seqCount())
            .addAllParticipants(write.participants())
            .setEof(write.eofBytes())
            .setTruncationNumber(write.truncationNumber())
            .setCompleteUpTo(agreedUpTo)
            .addAllBlockCrc(BlockChecksums.listOf(unit));
    return named(component, context.osds().write(target(component), request, Payload.of(unit)));
  }

  /**
   * Adds a change to the unit of a component that lacks it. Of a component whose old bytes are
   * damaged it fails as the OSD says: the component may be of use otherwise.
   */
  CompletableFuture<RangeReply> add(
      int component, WriteDecision write, long offsetBytes, ByteBuffer delta, long agreedUpTo) {
    XorWriteRequest.Builder request =
        XorWriteRequest.newBuilder()
            .setObjectId(objectId())
            .setOffset(offsetBytes)
            .setGrant(write.id().grant())
            .setSeq(write.id().firstSeq())
            .addAllParticipants(write.participants())
            .setEof(write.eofBytes())
            .setTruncationNumber(write.truncationNumber())
            .setCompleteUpTo(agreedUpTo)
            .addAllBlockCrc(BlockChecksums.listOf(delta));
    return context
        .osds()
        .xorWrite(target(component), request, Payload.of(delta))
        .exceptionallyCompose(
            thrown -> CompletableFuture.failedFuture(goneOrNot(component, thrown)));
  }

  private static Throwable goneOrNot(int component, Throwable thrown) {
    WeftException refusal = WeftException.of(thrown);
    return refusal.code() == ErrorCode.NO_SUCH_OBJECT
        ? new ComponentLost(component, refusal.getMessage())
        : refusal;
  }

  /** What the write changed on a component that has it. */
  CompletableFuture<DeltaResult<ReadDeltaReply>> delta(int component, PendingId id) {
    ReadDeltaRequest.Builder request =
        ReadDeltaRequest.newBuilder()
            .setObjectId(objectId())
            .setGrant(id.grant())
            .setSeq(id.firstSeq());
    return context.osds().readDelta(target(component), request);
  }

  CompletableFuture<RangeReply> complete(int component, long grant, long upTo) {
    CompleteRequest.Builder request =
        CompleteRequest.newBuilder().setObjectId(objectId()).setGrant(grant).setCompleteUpTo(upTo);
    return named(component, context.osds().complete(target(component), request));
  }

  /**
   * Makes a component that is not there, shut to older grants from the first byte of it that
   * counts. What slips in between making and shutting is on its pending list.
   *
   * @param task with the number to which versions are raised
   * @param eofBytes file length that it is told of
   */
  public CompletableFuture<Void> make(
      int component, ResolveTask task, long eofBytes, int truncationNumber) {
    RaiseVersionRequest.Builder raise =
        RaiseVersionRequest.newBuilder().setObjectId(objectId()).setVersion(task.number());
    return tell(component, task, eofBytes, truncationNumber)
        .thenCompose(
            made -> named(component, context.osds().raiseVersion(target(component), raise)))
        .thenApply(raised -> null);
  }

  /** Shuts a component to every number below; durable. */
  public CompletableFuture<Void> shut(int component, long number) {
    RaiseVersionRequest.Builder raise =
        RaiseVersionRequest.newBuilder().setObjectId(objectId()).setVersion(number);
    return named(component, context.osds().raiseVersion(target(component), raise))
        .thenApply(raised -> null);
  }

  /** Tells a component of the file's length, and makes it if it is not there. */
  CompletableFuture<WriteReply> tell(
      int component, ResolveTask task, long eofBytes, int truncationNumber) {
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(objectId())
            .setGrant(task.number())
            .setEof(eofBytes)
            .setTruncationNumber(truncationNumber)
            .setCreate(file.map().tag(component));
    return named(component, context.osds().write(target(component), request, Payload.EMPTY));
  }

  /**
   * Writes bytes of the manager's own making, which leave no record and tell nothing new. They are
   * on stable storage when it completes: what is told next rests on them.
   *
   * @param task with the number that they are written under
   * @param seq no other such write to the component has it
   * @param state what the component knows of the file's length
   */
  CompletableFuture<WriteReply> put(
      int component,
      ResolveTask task,
      long seq,
      ComponentState state,
      long offsetBytes,
      ByteBuffer bytes) {
    return put(component, own(task, seq, component, state, offsetBytes, bytes), bytes);
  }

  /** As the other one, where the file's length and number of cuts are the task's. */
  public CompletableFuture<WriteReply> put(
      int component,
      ResolveTask task,
      long seq,
      long eofBytes,
      long offsetBytes,
      ByteBuffer bytes) {
    int truncation = task.truncationNumber();
    return put(
        component, own(task, seq, component, eofBytes, truncation, offsetBytes, bytes), bytes);
  }

  /**
   * Makes whole blocks read as damaged from now on: what they must hold is not known any more. As
   * {@link #put}.
   */
  CompletableFuture<WriteReply> lose(
      int component,
      ResolveTask task,
      long seq,
      ComponentState state,
      long offsetBytes,
      int lengthBytes) {
    ByteBuffer zeros = ByteBuffer.allocate(lengthBytes);
    WriteRequest.Builder request = own(task, seq, component, state, offsetBytes, zeros);
    return put(component, request.setLost(true), zeros);
  }

  /**
   * Makes a cut again that the component has forgotten. Made twice it does no harm; it is on stable
   * storage when it completes.
   *
   * @param task with the number that it is made under
   * @param lengthBytes where the last block of the component ends
   * @param eofBytes length of the file
   */
  CompletableFuture<RangeReply> cut(
      int component, ResolveTask task, long lengthBytes, long eofBytes, int truncationNumber) {
    TruncateRequest.Builder request =
        TruncateRequest.newBuilder()
            .setObjectId(objectId())
            .setLength(lengthBytes)
            .setEof(eofBytes)
            .setTruncationNumber(truncationNumber)
            .setGrant(task.number())
            .setSeq(1)
            .setDurable(true);
    return named(component, context.osds().truncate(target(component), request));
  }

  /** What power losses gave back there has been dealt with. */
  CompletableFuture<RangeReply> forgetGivenBack(int component, ResolveTask task) {
    CompleteRequest.Builder request =
        CompleteRequest.newBuilder()
            .setObjectId(objectId())
            .setGrant(task.number())
            .setForgetGivenBack(true);
    return named(component, context.osds().complete(target(component), request));
  }

  private CompletableFuture<WriteReply> put(
      int component, WriteRequest.Builder request, ByteBuffer bytes) {
    return named(component, context.osds().write(target(component), request, Payload.of(bytes)));
  }

  private WriteRequest.Builder own(
      ResolveTask task,
      long seq,
      int component,
      ComponentState state,
      long offsetBytes,
      ByteBuffer bytes) {
    return own(
        task, seq, component, state.eofBytes(), state.truncationNumber(), offsetBytes, bytes);
  }

  private WriteRequest.Builder own(
      ResolveTask task,
      long seq,
      int component,
      long eofBytes,
      int truncationNumber,
      long offsetBytes,
      ByteBuffer bytes) {
    return WriteRequest.newBuilder()
        .setObjectId(objectId())
        .setOffset(offsetBytes)
        .setGrant(task.number())
        .setFirstSeq(seq)
        .setSeqCount(1)
        .addParticipants(component)
        .setEof(eofBytes)
        .setTruncationNumber(truncationNumber)
        .addAllBlockCrc(BlockChecksums.listOf(bytes))
        .setDurable(true);
  }

  private <T> CompletableFuture<T> named(int component, CompletableFuture<T> call) {
    return call.handle(
        (reply, thrown) -> {
          if (thrown == null) {
            return reply;
          }
          WeftException refusal = WeftException.of(thrown);
          if (ComponentLost.isSaidBy(refusal)) {
            throw new ComponentLost(component, refusal.getMessage());
          }
          throw new CompletionException(refusal);
        });
  }

  private long objectId() {
    return file.name().object().value();
  }

  private OsdTarget target(int component) {
    return file.target(component, context.options().writeAttemptMillis());
  }
}
