package org.weft.client.osd;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushReply;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListBadBlocksReply;
import org.weft.protocol.wire.ListBadBlocksRequest;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.OsdStatusReply;
import org.weft.protocol.wire.OsdStatusRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionReply;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RangeReply;
import org.weft.protocol.wire.ReadDeltaReply;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.ReportBadBlocksReply;
import org.weft.protocol.wire.ReportBadBlocksRequest;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteBlocksReply;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * The commands of an OSD as typed calls. Each puts the target's capability into the request and
 * signs with its secret; nothing is repeated after a failure, that is the caller's choice.
 *
 * <p>Thread-safe. Futures complete on the executor given, and on an event loop only where a method
 * says so. They fail with a {@link WeftException} whose message names the OSD and the command. Only
 * where the executor takes nothing does a future fail in the thread at hand, an answer's with
 * OVERLOADED. Cancelling a future cancels its call.
 */
public final class OsdClient {
  private final OsdConnections connections;
  private final Executor executor;

  public OsdClient(OsdConnections connections, Executor executor) {
    this.connections = connections;
    this.executor = executor;
  }

  /**
   * Stores the payload, which belongs to the call from here on, at the request's offset (P 5.3).
   */
  public CompletableFuture<WriteReply> write(
      OsdTarget target, WriteRequest.Builder request, Payload payload) {
    return write(target, request, payload, executor);
  }

  /**
   * As {@link #write}, but the future completes on an event loop if all is well: for a few blocks,
   * after which little is to be done. What hangs on the future must be short and must not block.
   */
  public CompletableFuture<WriteReply> writeFew(
      OsdTarget target, WriteRequest.Builder request, Payload payload) {
    return write(target, request, payload, Runnable::run);
  }

  private CompletableFuture<WriteReply> write(
      OsdTarget target, WriteRequest.Builder request, Payload payload, Executor answers) {
    WriteRequest body = request.setCapability(target.capability().encoded()).build();
    return call(
        target, Opcode.WRITE, body, payload, reply -> reply.parse(WriteReply.parser()), answers);
  }

  /**
   * Reads; the blocks' checksums are the caller's to check, and the payload the caller's to
   * release.
   */
  public CompletableFuture<ReadResult> read(OsdTarget target, ReadRequest.Builder request) {
    return read(target, request, executor);
  }

  /**
   * As {@link #read}, but the future completes on an event loop if all is well. It is for a few
   * blocks, which are dealt with faster than handed over to another thread. What hangs on the
   * future must be short and must not block.
   */
  public CompletableFuture<ReadResult> readFew(OsdTarget target, ReadRequest.Builder request) {
    return read(target, request, Runnable::run);
  }

  private CompletableFuture<ReadResult> read(
      OsdTarget target, ReadRequest.Builder request, Executor answers) {
    ReadRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.READ, body, Payload.EMPTY, OsdClient::readResult, answers);
  }

  /** The last write ids of a range (P 5.6). */
  public CompletableFuture<GetStampReply> getStamp(
      OsdTarget target, GetStampRequest.Builder request) {
    GetStampRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.GET_STAMP, body, Payload.EMPTY, GetStampReply.parser());
  }

  /** Blocks of a partition that the OSD knows to be bad, for its manager (P 6.8b). */
  public CompletableFuture<ListBadBlocksReply> listBadBlocks(
      OsdTarget target, ListBadBlocksRequest.Builder request) {
    ListBadBlocksRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.LIST_BAD_BLOCKS, body, Payload.EMPTY, ListBadBlocksReply.parser());
  }

  /** Blocks came that do not match their checksums: the OSD looks for itself, later (P 6.8b). */
  public CompletableFuture<ReportBadBlocksReply> reportBadBlocks(
      OsdTarget target, ReportBadBlocksRequest.Builder request) {
    ReportBadBlocksRequest body = request.setCapability(target.capability().encoded()).build();
    return call(
        target, Opcode.REPORT_BAD_BLOCKS, body, Payload.EMPTY, ReportBadBlocksReply.parser());
  }

  public CompletableFuture<GetAttributesReply> getAttributes(
      OsdTarget target, GetAttributesRequest.Builder request) {
    GetAttributesRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.GET_ATTRIBUTES, body, Payload.EMPTY, GetAttributesReply.parser());
  }

  /** Stores attribute pages where the stored LSN is smaller (P 6.3). */
  public CompletableFuture<SetAttributesReply> setAttributes(
      OsdTarget target, SetAttributesRequest.Builder request) {
    SetAttributesRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.SET_ATTRIBUTES, body, Payload.EMPTY, SetAttributesReply.parser());
  }

  /**
   * Stores whole blocks where the stored LSN is smaller (P 6.3); the payload belongs to the call.
   */
  public CompletableFuture<WriteBlocksReply> writeBlocks(
      OsdTarget target, WriteBlocksRequest.Builder request, Payload payload) {
    WriteBlocksRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.WRITE_BLOCKS, body, payload, WriteBlocksReply.parser());
  }

  /** Removes an object and leaves a tombstone (P 6.6). */
  public CompletableFuture<RemoveReply> remove(OsdTarget target, RemoveRequest.Builder request) {
    RemoveRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.REMOVE, body, Payload.EMPTY, RemoveReply.parser());
  }

  /** Refuses capabilities of smaller grants from now on (P 5.7); durable. */
  public CompletableFuture<RaiseVersionReply> raiseVersion(
      OsdTarget target, RaiseVersionRequest.Builder request) {
    RaiseVersionRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.RAISE_VERSION, body, Payload.EMPTY, RaiseVersionReply.parser());
  }

  /** Refuses manager commands of smaller epochs from now on (P 6.2); durable. */
  public CompletableFuture<FenceReply> fence(OsdTarget target, FenceRequest.Builder request) {
    FenceRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.FENCE, body, Payload.EMPTY, FenceReply.parser());
  }

  /** Makes everything of an object durable, or of the partition with object id 0. */
  public CompletableFuture<FlushReply> flush(OsdTarget target, FlushRequest.Builder request) {
    FlushRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.FLUSH, body, Payload.EMPTY, FlushReply.parser());
  }

  /** Cuts a component off, as far as nothing newer lies there (P 4.3). */
  public CompletableFuture<RangeReply> truncate(OsdTarget target, TruncateRequest.Builder request) {
    TruncateRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.TRUNCATE, body, Payload.EMPTY, RangeReply.parser());
  }

  /** Gives back the space of blocks that were written as zeros (P 4.3). */
  public CompletableFuture<RangeReply> punch(OsdTarget target, PunchRequest.Builder request) {
    PunchRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.PUNCH, body, Payload.EMPTY, RangeReply.parser());
  }

  /** Object ids of the capability's partition, in ascending order. */
  public CompletableFuture<ListReply> list(OsdTarget target, ListRequest.Builder request) {
    ListRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.LIST, body, Payload.EMPTY, ListReply.parser());
  }

  /** Replaces a part of one data unit; the answer holds old ⊕ new, for the parities (P 5.3). */
  public CompletableFuture<DeltaResult<XorReadWriteReply>> xorReadWrite(
      OsdTarget target, XorReadWriteRequest.Builder request, Payload payload) {
    XorReadWriteRequest body = request.setCapability(target.capability().encoded()).build();
    return call(
        target,
        Opcode.XOR_READ_WRITE,
        body,
        payload,
        reply -> delta(reply, XorReadWriteReply.parser()),
        executor);
  }

  /** XORs the payload, whole blocks that belong to the call, onto a range (P 5.3). */
  public CompletableFuture<RangeReply> xorWrite(
      OsdTarget target, XorWriteRequest.Builder request, Payload payload) {
    XorWriteRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.XOR_WRITE, body, payload, RangeReply.parser());
  }

  /** Undoes a pending write, and keeps it from coming back (P 5.4). */
  public CompletableFuture<AbortReply> abort(OsdTarget target, AbortRequest.Builder request) {
    AbortRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.ABORT, body, Payload.EMPTY, AbortReply.parser());
  }

  /** Says up to where the writes of a grant are complete (P 5.4). */
  public CompletableFuture<RangeReply> complete(OsdTarget target, CompleteRequest.Builder request) {
    CompleteRequest body = request.setCapability(target.capability().encoded()).build();
    return call(target, Opcode.COMPLETE, body, Payload.EMPTY, RangeReply.parser());
  }

  /**
   * The whole pending list of an object, as of one commit; for managers (P 5.5). It may take
   * several calls, each of the target's time.
   */
  public CompletableFuture<ListPendingReply> listPending(
      OsdTarget target, ListPendingRequest.Builder request) {
    ListPendingRequest whole = request.setCapability(target.capability().encoded()).build();
    return new PendingPages(
            whole,
            page ->
                call(
                    target,
                    Opcode.LIST_PENDING,
                    page.build(),
                    Payload.EMPTY,
                    ListPendingReply.parser()))
        .all();
  }

  /** What a pending XOR write changes on its component; for managers (P 5.5). */
  public CompletableFuture<DeltaResult<ReadDeltaReply>> readDelta(
      OsdTarget target, ReadDeltaRequest.Builder request) {
    ReadDeltaRequest body = request.setCapability(target.capability().encoded()).build();
    return call(
        target,
        Opcode.READ_DELTA,
        body,
        Payload.EMPTY,
        reply -> delta(reply, ReadDeltaReply.parser()),
        executor);
  }

  /**
   * Many small commands in one frame and one commit. An item that the OSD refuses says so in its
   * place of the answer; the others are carried out.
   */
  public CompletableFuture<BatchReply> batch(OsdId osd, List<BatchCall> calls, int timeoutMillis) {
    BatchRequest.Builder body = BatchRequest.newBuilder();
    List<byte[]> secrets = new ArrayList<>(calls.size());
    for (BatchCall call : calls) {
      body.addItems(
          BatchItem.newBuilder()
              .setOpcode(call.opcode().number())
              .setBody(call.body().toByteString())
              .setPayload(call.payload()));
      secrets.add(call.secret());
    }
    RpcRequest request = RpcRequest.batch(body.build(), secrets, timeoutMillis);
    return call(osd, request, reply -> reply.parse(BatchReply.parser()));
  }

  /** Space and state of an OSD; needs no capability. */
  public CompletableFuture<OsdStatusReply> status(OsdId osd, int timeoutMillis) {
    RpcRequest request =
        RpcRequest.unsigned(
            Opcode.OSD_STATUS, OsdStatusRequest.getDefaultInstance(), timeoutMillis);
    return call(osd, request, reply -> reply.parse(OsdStatusReply.parser()));
  }

  /**
   * Asks the OSD for a sign of life, which waits for no other command there (P 5.8); needs no
   * capability.
   */
  public CompletableFuture<OsdStatusReply> isAlive(OsdId osd, int timeoutMillis) {
    OsdStatusRequest sign = OsdStatusRequest.newBuilder().setOnlyAlive(true).build();
    return call(
        osd,
        RpcRequest.unsigned(Opcode.OSD_STATUS, sign, timeoutMillis),
        reply -> reply.parse(OsdStatusReply.parser()));
  }

  private <T> CompletableFuture<T> call(
      OsdTarget target, Opcode opcode, MessageLite body, Payload payload, Parser<T> parser) {
    return call(target, opcode, body, payload, reply -> reply.parse(parser), executor);
  }

  private <T> CompletableFuture<T> call(
      OsdTarget target,
      Opcode opcode,
      MessageLite body,
      Payload payload,
      Decoder<T> decoder,
      Executor answers) {
    RpcRequest request =
        new RpcRequest(opcode, body, payload, target.timeoutMillis(), target.capability().secret());
    return call(target.osd(), target.start(), request, decoder, answers);
  }

  private <T> CompletableFuture<T> call(OsdId osd, RpcRequest request, Decoder<T> decoder) {
    return call(osd, OptionalLong.empty(), request, decoder, executor);
  }

  private <T> CompletableFuture<T> call(
      OsdId osd, OptionalLong start, RpcRequest request, Decoder<T> decoder, Executor answers) {
    CompletableFuture<T> result = new CompletableFuture<>();
    CompletableFuture<RpcReply> call = connections.call(osd, start, request);
    var unusedAnswer =
        call.whenComplete(
            (reply, failure) ->
                answered(osd, request.opcode(), reply, failure, decoder, answers, result));
    var unusedCancel =
        result.whenComplete(
            (value, failure) -> {
              if (result.isCancelled()) {
                call.cancel(false);
              }
            });
    return result;
  }

  private <T> void answered(
      OsdId osd,
      Opcode opcode,
      RpcReply reply,
      Throwable failure,
      Decoder<T> decoder,
      Executor answers,
      CompletableFuture<T> result) {
    if (failure != null) {
      fail(result, osd, opcode, failure);
      return;
    }
    try {
      answers.execute(() -> decode(osd, opcode, reply, decoder, result));
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      reply.payload().release();
      result.completeExceptionally(
          new WeftException(
              ErrorCode.OVERLOADED,
              "no thread was free to take an OSD's reply; call less at once",
              e));
    }
  }

  /** On the executor whatever the call: what a failure leads to may be long. */
  private void fail(CompletableFuture<?> result, OsdId osd, Opcode opcode, Throwable failure) {
    if (result.isDone()) {
      // No caller waits for it any more.
      return;
    }
    Runnable failing = () -> result.completeExceptionally(named(osd, opcode, failure));
    try {
      executor.execute(failing);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // Without a thread the call must end all the same.
      failing.run();
    }
  }

  private <T> void decode(
      OsdId osd, Opcode opcode, RpcReply reply, Decoder<T> decoder, CompletableFuture<T> result) {
    T value;
    try {
      value = decoder.decode(reply);
    } catch (WeftException e) {
      fail(result, osd, opcode, e);
      return;
    } catch (RuntimeException | Error e) {
      // Nothing else ends this call: its connection has answered it.
      fail(result, osd, opcode, e);
      throw e;
    }
    if (!result.complete(value)) {
      if (value instanceof ReadResult read) {
        read.payload().release();
      } else if (value instanceof DeltaResult<?> delta) {
        delta.payload().release();
      }
    }
  }

  private static ReadResult readResult(RpcReply reply) throws WeftException {
    try {
      ReadReplyBody body = ReadReplyBody.of(reply.body());
      return new ReadResult(body.rest(), body.crcs(), reply.payload());
    } catch (WeftException | RuntimeException | Error e) {
      reply.payload().release();
      throw e;
    }
  }

  private static <T> DeltaResult<T> delta(RpcReply reply, Parser<T> parser) throws WeftException {
    try {
      return new DeltaResult<>(reply.parseBody(parser), reply.payload());
    } catch (WeftException | RuntimeException | Error e) {
      reply.payload().release();
      throw e;
    }
  }

  private static WeftException named(OsdId osd, Opcode opcode, Throwable failure) {
    WeftException cause = WeftException.of(failure);
    return new WeftException(
        cause.code(),
        "OSD " + osd + ", " + opcode + ": " + cause.getMessage(),
        new OsdFailure(osd, cause));
  }

  /** Turns an answer into a value and releases what it does not hand on. */
  @FunctionalInterface
  private interface Decoder<T> {
    T decode(RpcReply reply) throws WeftException;
  }
}
