package org.weft.testkit.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;

/** One request on its way there and back. Secrets are compared instead of MACs. */
final class VirtualCall implements InboundRequest {
  private final VirtualConnection connection;
  private final RpcRequest request;
  private final long requestId;
  private final ByteString body;
  private final long deadlineNanos;
  private final CompletableFuture<RpcReply> answer = new CompletableFuture<>();
  private Payload arrived = Payload.EMPTY;
  private boolean answered;

  VirtualCall(VirtualConnection connection, RpcRequest request, long requestId) {
    this.connection = connection;
    this.request = request;
    this.requestId = requestId;
    this.body = request.body().toByteString();
    this.deadlineNanos =
        connection.wire().time().nowNanos()
            + TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis());
    var unused = answer.whenComplete((reply, failure) -> connection.forget(this));
  }

  CompletableFuture<RpcReply> answer() {
    return answer;
  }

  void expire() {
    abandon(
        new RpcException(
            ErrorCode.DEADLINE_EXCEEDED,
            connection.peer().name()
                + " did not answer within "
                + request.timeoutMillis()
                + " ms"));
  }

  /** Ends the call at the caller's side; the server may still be at work. */
  void abandon(RpcException failure) {
    answer.completeExceptionally(failure);
  }

  /** The last byte has left the caller: it may use its buffers again. */
  void payloadHasLeft() {
    ByteBuffer copy = ByteBuffer.allocate(request.payload().lengthBytes());
    request.payload().buffers().forEach(copy::put);
    arrived = Payload.of(copy.flip());
    request.payload().release();
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
    return answer.isDone() || !connection.isOpen();
  }

  @Override
  public RpcPeer peer() {
    return connection.serverSide();
  }

  @Override
  public boolean signedWith(byte[] secret) {
    return request.secret() != null && Hmac.same(request.secret(), secret);
  }

  @Override
  public boolean itemSignedWith(
      byte[] secret, int index, int opcodeNumber, ByteBuffer itemBody, byte[] mac) {
    return index < request.itemSecrets().size()
        && Hmac.same(request.itemSecrets().get(index), secret);
  }

  @Override
  public <T> T parse(Parser<T> parser) throws RpcException {
    try {
      return parser.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw new RpcException(ErrorCode.MALFORMED, "not such a message: " + e, e);
    }
  }

  @Override
  public void reply(MessageLite replyBody, Payload payload) {
    if (answered) {
      payload.release();
      return;
    }
    answered = true;
    connection.wire().payloadSent();
    Payload counted =
        Payload.of(
            payload.buffers(),
            () -> {
              connection.wire().payloadReleased();
              payload.release();
            });
    RpcReply reply = new RpcReply(replyBody.toByteString().asReadOnlyByteBuffer(), counted);
    connection.sendBack(
        () -> {
          if (!answer.complete(reply)) {
            counted.release();
          }
        },
        counted::release);
  }

  @Override
  public void fail(ErrorCode code, String message) {
    if (!answered) {
      answered = true;
      connection.sendBack(
          () -> answer.completeExceptionally(new RpcException(code, message)), () -> {});
    }
  }
}
