package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.frame.BatchSigning;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.BatchRequest;

/**
 * A call from being made to being settled. Its states are {@code NEW} (in the inbox), {@code
 * WAITING} (for the window), {@code QUEUED} (behind other frames) and {@code SENT}. A reply, a
 * deadline or its caller may settle it in each of them. All but the future belongs to the event
 * loop.
 */
final class ClientCall implements OutboundFrame {
  enum Stage {
    NEW,
    WAITING,
    QUEUED,
    SENT
  }

  private final RpcRequest request;
  private final Ticker ticker;
  private final CallTable owner;
  private final CompletableFuture<RpcReply> future = new CompletableFuture<>();
  private final long startNanos;
  private final long deadlineNanos;
  private final int payloadBytes;
  private Stage stage = Stage.NEW;
  private long requestId;
  private byte[] mac = {};
  private boolean settled;
  private boolean left;

  ClientCall(RpcRequest request, Ticker ticker, CallTable owner) {
    this.request = request;
    this.ticker = ticker;
    this.owner = owner;
    this.startNanos = ticker.nowNanos();
    this.deadlineNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis());
    this.payloadBytes = request.payload().lengthBytes();
  }

  CompletableFuture<RpcReply> future() {
    return future;
  }

  RpcRequest request() {
    return request;
  }

  long startNanos() {
    return startNanos;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  int payloadBytes() {
    return payloadBytes;
  }

  Stage stage() {
    return stage;
  }

  void enter(Stage next) {
    stage = next;
  }

  void number(long id) {
    requestId = id;
  }

  boolean settled() {
    return settled;
  }

  void markSettled() {
    settled = true;
  }

  /**
   * True once it is settled and its bytes are out of our hands: its share of the window is free.
   */
  boolean over() {
    return settled && left;
  }

  @Override
  public FrameKind kind() {
    return FrameKind.REQUEST;
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
  public boolean wanted() {
    return !settled && !future.isDone();
  }

  @Override
  public int deadlineMillis() {
    long remaining = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - ticker.nowNanos());
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, remaining));
  }

  @Override
  public MessageLite body(byte[] nonce, long counter) {
    stage = Stage.SENT;
    if (request.itemSecrets().isEmpty()) {
      return request.body();
    }
    return BatchSigning.sign(
        (BatchRequest) request.body(), request.itemSecrets(), nonce, requestId, counter);
  }

  @Override
  public Payload payload() {
    return request.payload();
  }

  @Override
  public int flags() {
    return request.provenAnswer() ? FrameHeader.PROVE_ANSWER : 0;
  }

  @Override
  public Optional<byte[]> mac(byte[] nonce, ByteBuffer head, ByteBuffer body) {
    if (request.secret() == null) {
      return Optional.empty();
    }
    mac = FrameMac.ofFrame(request.secret(), nonce, head, body);
    return Optional.of(mac);
  }

  /** True if the answer has the MAC that only a holder of the request's secret can make. */
  boolean isProvenBy(InboundFrame answer, byte[] clientNonce) {
    byte[] expected =
        FrameMac.ofAnswer(
            request.secret(), clientNonce, mac, ByteBuffer.wrap(answer.head()), answer.body());
    return Hmac.same(expected, answer.mac());
  }

  @Override
  public void finished(boolean sent) {
    left = true;
    owner.left(this, sent);
  }
}
