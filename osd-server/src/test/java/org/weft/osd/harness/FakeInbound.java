package org.weft.osd.harness;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RequestBody;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.testkit.rpc.FakePeer;

/**
 * A request that came over no wire: for opcodes that no caller can send, bodies that no caller
 * would make, and callers that are gone. Its signatures are good or bad as it is told.
 */
public final class FakeInbound implements InboundRequest {
  private final int opcodeNumber;
  private final byte[] body;
  private final Payload payload;
  private final boolean signed;
  private final CompletableFuture<MessageLite> answer = new CompletableFuture<>();
  private byte[] answerPayload = new byte[0];
  private long deadlineNanos;
  private boolean cancelled;
  private RpcPeer peer = FakePeer.client();

  public FakeInbound(int opcodeNumber, byte[] body, byte[] payload, boolean signed) {
    this(opcodeNumber, body, Payload.of(ByteBuffer.wrap(payload)), signed);
  }

  public FakeInbound(int opcodeNumber, byte[] body, Payload payload, boolean signed) {
    this.opcodeNumber = opcodeNumber;
    this.body = body;
    this.payload = payload;
    this.signed = signed;
  }

  public FakeInbound deadlineNanos(long nanos) {
    deadlineNanos = nanos;
    return this;
  }

  public FakeInbound cancel() {
    cancelled = true;
    return this;
  }

  public FakeInbound from(RpcPeer other) {
    peer = other;
    return this;
  }

  /** The reply's body, or the failure. */
  public CompletableFuture<MessageLite> answer() {
    return answer;
  }

  @Override
  public int opcodeNumber() {
    return opcodeNumber;
  }

  @Override
  public long requestId() {
    return 1;
  }

  @Override
  public ByteBuffer body() {
    return ByteBuffer.wrap(body).asReadOnlyBuffer();
  }

  @Override
  public Payload payload() {
    return payload;
  }

  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public RpcPeer peer() {
    return peer;
  }

  @Override
  public boolean signedWith(byte[] secret) {
    return signed;
  }

  @Override
  public boolean itemSignedWith(
      byte[] secret, int index, int opcode, ByteBuffer itemBody, byte[] mac) {
    return signed;
  }

  @Override
  public <T> T parse(Parser<T> parser) throws WeftException {
    return RequestBody.parse(parser, body(), "a request that came over no wire");
  }

  /** The bytes behind the reply's body; call when the answer is there. */
  public byte[] answerPayload() {
    return answerPayload;
  }

  @Override
  public void reply(MessageLite message, Payload bytes) {
    ByteBuffer copy = ByteBuffer.allocate(bytes.lengthBytes());
    bytes.buffers().forEach(copy::put);
    answerPayload = copy.array();
    bytes.release();
    payload.release();
    answer.complete(message);
  }

  @Override
  public void fail(WeftException why) {
    payload.release();
    answer.completeExceptionally(why);
  }
}
