package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RequestBody;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.transport.memory.ArrivalMemory;

/** A request from its arrival until its answer has left. Thread-safe. */
final class ServerRequest implements InboundRequest {
  private final ServerConnection connection;
  private final InboundFrame frame;
  private final Optional<ArrivalMemory.Place> place;
  private final long arrivedNanos;
  private final long deadlineNanos;
  private final AtomicBoolean answered = new AtomicBoolean();
  private volatile boolean givenUp;

  /** Signs the answer; null unless the request proved to be signed with it and wants that. */
  private volatile byte[] answerSecret;

  /**
   * A request whose frame has just arrived.
   *
   * @param place that it holds in the memory for large ones until it is answered
   */
  ServerRequest(
      ServerConnection connection,
      InboundFrame frame,
      Optional<ArrivalMemory.Place> place,
      long arrivedNanos) {
    this.connection = connection;
    this.frame = frame;
    this.place = place;
    this.arrivedNanos = arrivedNanos;
    this.deadlineNanos =
        arrivedNanos + TimeUnit.MILLISECONDS.toNanos(frame.header().deadlineMillis());
  }

  Optional<ArrivalMemory.Place> place() {
    return place;
  }

  @Override
  public int opcodeNumber() {
    return frame.header().opcode();
  }

  @Override
  public long requestId() {
    return frame.header().requestId();
  }

  @Override
  public ByteBuffer body() {
    return frame.body().duplicate();
  }

  @Override
  public Payload payload() {
    return frame.payload();
  }

  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public boolean cancelled() {
    return givenUp || connection.nowNanos() - deadlineNanos > 0;
  }

  /** The caller said so, or is gone. */
  void giveUp() {
    givenUp = true;
  }

  @Override
  public RpcPeer peer() {
    return connection;
  }

  @Override
  public boolean signedWith(byte[] secret) {
    if (!frame.isSigned()) {
      return false;
    }
    byte[] mac =
        FrameMac.ofFrame(secret, connection.nonce(), ByteBuffer.wrap(frame.head()), frame.body());
    boolean signed = Hmac.same(mac, frame.mac());
    if (signed && frame.header().wantsProof()) {
      answerSecret = secret.clone();
    }
    return proved(signed);
  }

  @Override
  public boolean itemSignedWith(
      byte[] secret, int index, int opcodeNumber, ByteBuffer itemBody, byte[] mac) {
    FrameHeader header = frame.header();
    return proved(
        Hmac.same(
            mac,
            FrameMac.ofItem(
                secret,
                connection.nonce(),
                header.requestId(),
                header.counter(),
                index,
                opcodeNumber,
                itemBody)));
  }

  private boolean proved(boolean signed) {
    if (signed) {
      connection.proved();
    }
    return signed;
  }

  @Override
  public <T> T parse(Parser<T> parser) throws WeftException {
    return RequestBody.parse(parser, frame.body(), name());
  }

  private String name() {
    return Opcode.of(opcodeNumber())
        .map(Opcode::name)
        .orElseGet(() -> "opcode 0x" + Integer.toHexString(opcodeNumber()));
  }

  @Override
  public void reply(MessageLite body, Payload payload) {
    int bodyBytes = body.getSerializedSize();
    int payloadBytes = payload.lengthBytes();
    if (bodyBytes > ListenOptions.MAX_BODY_BYTES
        || payloadBytes > ListenOptions.MAX_PAYLOAD_BYTES) {
      payload.release();
      fail(
          ErrorCode.INTERNAL,
          "the reply to "
              + name()
              + " has a body of "
              + bodyBytes
              + " and a payload of "
              + payloadBytes
              + " bytes, more than a frame may have");
      return;
    }
    answer(FrameKind.RESPONSE, body, payload, Optional.empty());
  }

  @Override
  public void fail(WeftException failure) {
    answer(
        FrameKind.ERROR, PlainFrame.errorBody(failure), Payload.EMPTY, Optional.of(failure.code()));
  }

  private void answer(
      FrameKind kind, MessageLite body, Payload payload, Optional<ErrorCode> failure) {
    if (!answered.compareAndSet(false, true)) {
      payload.release();
      return;
    }
    if (payload != frame.payload()) {
      frame.payload().release();
    }
    connection.answer(new ReplyFrame(this, kind, body, payload, failure));
  }

  /** What this request holds until it is answered. */
  int heldBytes() {
    FrameHeader header = frame.header();
    return FrameHeader.BYTES + header.bodyBytes() + header.payloadBytes();
  }

  /** An answer on its way out. */
  record ReplyFrame(
      ServerRequest request,
      FrameKind kind,
      MessageLite message,
      Payload payload,
      Optional<ErrorCode> failure)
      implements OutboundFrame {
    /** Bytes of the payload that lie in a file until it is their turn. */
    int fileBytes() {
      return payload instanceof FilePayload ? payload.lengthBytes() : 0;
    }

    /** All other bytes of the answer. */
    int memoryBytes() {
      return message.getSerializedSize() + payload.lengthBytes() - fileBytes();
    }

    @Override
    public int opcodeNumber() {
      return request.opcodeNumber();
    }

    @Override
    public long requestId() {
      return request.requestId();
    }

    @Override
    public Optional<byte[]> mac(byte[] nonce, ByteBuffer head, ByteBuffer body) {
      byte[] secret = request.answerSecret;
      return secret == null
          ? Optional.empty()
          : Optional.of(
              FrameMac.ofAnswer(
                  secret, request.connection.clientNonce(), request.frame.mac(), head, body));
    }

    /** No reply is waited for once the caller gave up: its own clock ran out before ours. */
    @Override
    public boolean wanted() {
      return !request.cancelled();
    }

    @Override
    public MessageLite body(byte[] nonce, long counter) {
      return message;
    }

    @Override
    public void finished(boolean sent) {
      request.connection.replyLeft(this, request.connection.nowNanos() - request.arrivedNanos);
    }
  }
}
