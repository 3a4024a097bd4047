package org.weft.testkit.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RequestBody;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.testkit.sim.WireFaults.FrameKind;

/** One request on its way there and back. Secrets are compared instead of MACs. */
final class VirtualCall implements InboundRequest {
  private static final byte SPOILT = (byte) 0xdb;

  private final VirtualConnection connection;
  private final RpcRequest request;
  private final long requestId;
  private final ByteString body;
  private final CompletableFuture<RpcReply> answer = new CompletableFuture<>();
  private Timer expiry = () -> {};
  private Payload arrived;
  private byte[] arrivedBytes = {};
  private long deadlineNanos;
  private boolean answered;
  private boolean givenUp;
  private boolean settled;
  private boolean proven;

  VirtualCall(VirtualConnection connection, RpcRequest request, long requestId) {
    this.connection = connection;
    this.request = request;
    this.requestId = requestId;
    this.body = request.body().toByteString();
    var unused = answer.whenComplete((reply, failure) -> settled());
  }

  CompletableFuture<RpcReply> answer() {
    return answer;
  }

  void expiresBy(Timer timer) {
    expiry = timer;
  }

  /** Completed by the connection, or by a caller that has changed its mind. */
  private void settled() {
    expiry.cancel();
    if (!settled) {
      settled = true;
      connection.cancel(this);
    }
  }

  private void settledByAnswer() {
    settled = true;
    connection.forget(this);
  }

  void expire() {
    saw(WireObserver.Event.EXPIRED, connection.client(), connection.server());
    answer.completeExceptionally(
        new WeftException(
            ErrorCode.DEADLINE_EXCEEDED,
            connection.peer().name() + " did not reply within " + request.timeoutMillis() + " ms"));
  }

  /** Ends the call at the caller's side; the server may still be at work. */
  void abandon(WeftException failure) {
    settled = true;
    answer.completeExceptionally(failure);
  }

  /** The caller's process is gone: no caller is to hear of it. */
  void dies() {
    expiry.cancel();
    payloadHasLeft();
  }

  /** The last byte has left the caller: it may use its buffers again. */
  void payloadHasLeft() {
    if (arrived != null) {
      return;
    }
    int length = request.payload().lengthBytes();
    if (length == 0) {
      arrived = Payload.EMPTY;
    } else {
      ByteBuffer copy = ByteBuffer.allocate(length);
      request.payload().buffers().forEach(copy::put);
      arrivedBytes = copy.array();
      arrived = Payload.of(copy.flip());
    }
    request.payload().release();
  }

  void arrived() {
    deadlineNanos =
        connection.server().ticker().nowNanos()
            + TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis());
  }

  /** The server hears that the caller waits no longer for the answer. */
  void giveUp() {
    givenUp = true;
  }

  void saw(WireObserver.Event event, WireHost from, WireHost to) {
    connection
        .wire()
        .saw(event, from, to, opcodeNumber(), requestId, body, request.payload().lengthBytes());
  }

  private void sawAnswer(WireObserver.Event event, ByteString what, int payloadBytes) {
    connection
        .wire()
        .saw(
            event,
            connection.server(),
            connection.client(),
            opcodeNumber(),
            requestId,
            what,
            payloadBytes);
  }

  @Override
  public int opcodeNumber() {
    return request.opcode().number();
  }

  @Override
  public long requestId() {
    return requestId;
  }

  @Override
  public ByteBuffer body() {
    return body.asReadOnlyByteBuffer();
  }

  @Override
  public Payload payload() {
    return arrived;
  }

  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public boolean cancelled() {
    return givenUp
        || !connection.isServerOpen()
        || connection.server().ticker().nowNanos() - deadlineNanos > 0;
  }

  @Override
  public RpcPeer peer() {
    return connection.serverSide();
  }

  @Override
  public boolean signedWith(byte[] secret) {
    boolean signed = request.secret() != null && Hmac.same(request.secret(), secret);
    proven |= signed;
    return signed;
  }

  @Override
  public boolean itemSignedWith(
      byte[] secret, int index, int opcodeNumber, ByteBuffer itemBody, byte[] mac) {
    return index < request.itemSecrets().size()
        && Hmac.same(request.itemSecrets().get(index), secret);
  }

  @Override
  public <T> T parse(Parser<T> parser) throws WeftException {
    return RequestBody.parse(parser, body(), "opcode 0x" + Integer.toHexString(opcodeNumber()));
  }

  @Override
  public void reply(MessageLite replyBody, Payload payload) {
    if (answered) {
      payload.release();
      return;
    }
    isAnswered();
    ByteString bytes = replyBody.toByteString();
    sawAnswer(WireObserver.Event.ANSWERED, bytes, payload.lengthBytes());
    if (payload.lengthBytes() == 0) {
      leaves(bytes, payload);
    } else {
      connection
          .wire()
          .time()
          .after(
              connection.wire().drainNanos(connection.server(), connection.client()),
              () -> connection.server().gate().execute(() -> leaves(bytes, payload)));
    }
  }

  /** From here on the memory of the request's payload is the transport's again. */
  private void isAnswered() {
    answered = true;
    spoil(arrivedBytes);
  }

  /** As if memory that was given back were used for something else. */
  private static void spoil(byte[] memory) {
    Arrays.fill(memory, SPOILT);
  }

  /** The reply's bytes are read and sent; after that the server may use their place again. */
  private void leaves(ByteString replyBody, Payload payload) {
    ByteBuffer bytes = ByteBuffer.allocate(payload.lengthBytes());
    try {
      payload.buffers().forEach(bytes::put);
    } catch (UncheckedIOException e) {
      // As if sendfile had failed: half a frame has left, which ends the connection.
      connection.endServer();
      return;
    } finally {
      payload.release();
    }
    bytes.flip();
    connection
        .wire()
        .left(connection.server(), opcodeNumber(), replyBody, bytes.asReadOnlyBuffer());
    connection.wire().payloadSent(connection.client());
    Payload counted =
        Payload.of(
            List.of(bytes),
            () -> {
              connection.wire().payloadReleased(connection.client());
              spoil(bytes.array());
            });
    RpcReply reply = new RpcReply(replyBody.asReadOnlyByteBuffer(), counted);
    connection.sendBack(
        FrameKind.REPLY,
        () -> {
          if (answer.isDone()) {
            counted.release();
          } else if (!counts()) {
            counted.release();
            settledByAnswer();
            answer.completeExceptionally(unproven());
          } else {
            settledByAnswer();
            sawAnswer(WireObserver.Event.REPLIED, replyBody, bytes.remaining());
            answer.complete(reply);
          }
        },
        () -> {
          sawAnswer(WireObserver.Event.REPLY_LOST, replyBody, bytes.remaining());
          counted.release();
        });
  }

  @Override
  public void fail(WeftException failure) {
    if (answered) {
      return;
    }
    isAnswered();
    ErrorCode code = failure.code();
    String message = failure.getMessage();
    ByteString text = ByteString.copyFromUtf8(code + ": " + message);
    sawAnswer(WireObserver.Event.FAILED, text, 0);
    connection.sendBack(
        FrameKind.REPLY,
        () -> {
          if (!answer.isDone()) {
            settledByAnswer();
            answer.completeExceptionally(
                counts() || code == ErrorCode.UNAUTHENTICATED
                    ? WeftException.answered(code, message, failure.detail())
                    : unproven());
          }
        },
        () -> sawAnswer(WireObserver.Event.REPLY_LOST, text, 0));
  }

  /** Answers are proven where the server looked at the secret and found it the same. */
  private boolean counts() {
    return proven || !request.provenAnswer();
  }

  private WeftException unproven() {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        connection.peer().name() + ": its answer to " + request.opcode() + " is not signed");
  }
}
