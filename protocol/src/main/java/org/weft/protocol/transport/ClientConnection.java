package org.weft.protocol.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.MessageText;
import org.weft.protocol.rpc.OwnLimits;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.RpcError;

/**
 * The calling side of a connection, from the end of the handshake on.
 *
 * <p>It reads answers however many payloads their callers still hold: pausing would keep back the
 * very answers that let them go. A caller bounds what it asks for.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter implements RpcConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private final Channel channel;
  private final PeerInfo peer;
  private final FrameLimits serverLimits;
  private final ConnectOptions.PushListener pushes;
  private final byte[] nonce;
  private final KeepAlive keepAlive;
  private final Wiring wiring;
  private final FrameSender sender;
  private final CallTable calls;
  private final LoopInbox<ClientCall> inbox;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private boolean ended;
  private volatile Throwable endCause;
  private volatile String endReason = "the other side closed the connection";

  ClientConnection(
      Channel channel,
      FrameSender sender,
      PeerInfo peer,
      FrameLimits serverLimits,
      ConnectOptions.PushListener pushes,
      byte[] nonce,
      KeepAlive keepAlive,
      Wiring wiring) {
    this.channel = channel;
    this.sender = sender;
    this.peer = peer;
    this.serverLimits = serverLimits;
    this.pushes = pushes;
    this.nonce = nonce.clone();
    this.keepAlive = keepAlive;
    this.wiring = wiring;
    this.calls =
        new CallTable(
            wiring,
            sender,
            new DeadlineQueue<>(
                wiring.scheduler(), wiring.ticker(), channel.eventLoop(), this::expired));
    this.inbox = new LoopInbox<>(channel.eventLoop(), this::drainInbox, this::failUnsent);
  }

  @Override
  public PeerInfo peer() {
    return peer;
  }

  @Override
  public CompletableFuture<RpcReply> call(RpcRequest request) {
    WeftException refusal = refusalOf(request);
    if (refusal != null) {
      request.payload().release();
      return CompletableFuture.failedFuture(refusal);
    }
    ClientCall call = new ClientCall(request, wiring.ticker(), calls);
    inbox.put(call);
    // If anything but the connection completes the future, the caller has given the call up. A
    // stale look at the flag from another thread only costs a visit that finds nothing to do.
    var unused =
        call.future()
            .whenComplete(
                (reply, failure) -> {
                  if (!call.settled()) {
                    inbox.put(call);
                  }
                });
    return call.future();
  }

  private WeftException refusalOf(RpcRequest request) {
    int bodyBytes = request.body().getSerializedSize();
    int payloadBytes = request.payload().lengthBytes();
    if (bodyBytes > serverLimits.maxBodyBytes() || payloadBytes > serverLimits.maxPayloadBytes()) {
      return failure(
          ErrorCode.INVALID_ARGUMENT,
          request.opcode()
              + " with a body of "
              + bodyBytes
              + " and a payload of "
              + payloadBytes
              + " bytes; it takes at most "
              + serverLimits.maxBodyBytes()
              + " and "
              + serverLimits.maxPayloadBytes());
    }
    if (!channel.isActive()) {
      return lost(request);
    }
    if (!calls.admit()) {
      return failure(
          ErrorCode.OVERLOADED,
          wiring.options().maxCalls() + " calls wait already; make fewer at a time");
    }
    return null;
  }

  private void drainInbox() {
    for (ClientCall call = inbox.take(); call != null; call = inbox.take()) {
      if (call.settled()) {
        continue;
      }
      if (ended) {
        calls.fail(call, lost(call.request()));
        FrameSender.drop(call);
      } else if (call.stage() == ClientCall.Stage.NEW) {
        calls.submit(call);
      } else {
        calls.abandon(
            call, failure(ErrorCode.CANCELLED, call.request().opcode() + " was given up"));
      }
    }
    if (!ended) {
      calls.pump();
    }
  }

  /** The event loop has ended: nothing is left to confine to it. */
  private void failUnsent(ClientCall call) {
    call.payload().release();
    call.future().completeExceptionally(lost(call.request()));
  }

  private void expired(ClientCall call) {
    if (!call.settled()) {
      String where =
          switch (call.stage()) {
            case NEW, WAITING -> "; it was still waiting for the window of earlier calls";
            case QUEUED -> "; it was still waiting to be sent";
            case SENT -> "";
          };
      calls.abandon(
          call,
          failure(
              ErrorCode.DEADLINE_EXCEEDED,
              call.request().opcode()
                  + " got no reply within "
                  + call.request().timeoutMillis()
                  + " ms"
                  + where));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    InboundFrame frame = (InboundFrame) message;
    switch (frame.header().kind()) {
      case RESPONSE -> answer(frame);
      case ERROR -> error(frame);
      case PUSH -> push(frame);
      case PING -> {}
      default -> {
        frame.payload().release();
        end("it sent a " + frame.header().kind() + ", which only a client may send");
      }
    }
  }

  private void answer(InboundFrame frame) {
    ClientCall call = calls.answered(frame.header().requestId());
    if (call == null) {
      // An answer that crossed a cancellation or came after the deadline.
      frame.payload().release();
    } else if (!counts(call, frame) || hasUnprovenPayload(call, frame)) {
      frame.payload().release();
      calls.fail(call, unproven(call, "its reply"));
    } else {
      calls.succeed(call, new RpcReply(frame.body(), frame.payload()));
    }
  }

  private void error(InboundFrame frame) {
    RpcError error;
    try {
      error = RpcError.parseFrom(frame.body().duplicate());
    } catch (InvalidProtocolBufferException e) {
      end("it sent an error that could not be read: " + e);
      return;
    }
    if (frame.header().requestId() == 0) {
      end(error.getMessage());
      return;
    }
    ClientCall call = calls.answered(frame.header().requestId());
    if (call == null) {
      return;
    }
    ErrorCode code = ErrorCode.of(error.getCode());
    if (counts(call, frame) || code == ErrorCode.UNAUTHENTICATED) {
      String message = name() + ": " + error.getMessage();
      calls.fail(call, WeftException.answered(code, message, error.getDetail()));
    } else {
      calls.fail(call, unproven(call, code + ", \"" + MessageText.cut(error.getMessage()) + '"'));
    }
  }

  private boolean counts(ClientCall call, InboundFrame answer) {
    return !call.request().provenAnswer() || call.isProvenBy(answer, nonce);
  }

  /** No MAC covers a payload. */
  private static boolean hasUnprovenPayload(ClientCall call, InboundFrame answer) {
    return call.request().provenAnswer() && answer.payload().lengthBytes() > 0;
  }

  private WeftException unproven(ClientCall call, String what) {
    return failure(
        ErrorCode.UNAVAILABLE,
        what
            + " to "
            + call.request().opcode()
            + " is not signed with the secret of the request and does not count; another process"
            + " may listen there, or an earlier release, which is to be upgraded first");
  }

  private void push(InboundFrame frame) {
    try {
      pushes.pushed(frame.header().opcode(), frame.body());
    } catch (RuntimeException e) {
      LOG.error("{}: a listener failed on a push", name(), e);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    calls.pump();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    sender.pump();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof RefusedFrame refused) {
      if (OwnLimits.caused(refused.failure())) {
        endFor(refused.failure());
      } else {
        end("it sent a bad frame: " + refused.failure().getMessage());
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (OwnLimits.caused(cause)) {
      LOG.warn("{}: connection ended here: {}", name(), OwnLimits.inWords(cause));
      endFor(cause);
      return;
    }
    if (!(cause instanceof java.io.IOException)) {
      LOG.error("{}: connection failed", name(), cause);
    }
    end(SocketFailure.inPlainWords(cause));
  }

  /** This process has no memory for it: what its calls fail with says so, by its cause. */
  private void endFor(Throwable ownLimit) {
    endCause = ownLimit;
    end(OwnLimits.inWords(ownLimit));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended = true;
    calls.failAll(call -> lost(call.request()));
    sender.close();
    drainInbox();
    wiring.metrics().connectionClosed(false);
    closed.complete(null);
  }

  private void end(String reason) {
    endReason = reason;
    ChannelEnd.now(channel);
  }

  private WeftException lost(RpcRequest request) {
    return new WeftException(
        ErrorCode.CONNECTION_LOST,
        name() + ": connection lost, " + request.opcode() + " got no reply: " + endReason,
        endCause);
  }

  private WeftException failure(ErrorCode code, String text) {
    return new WeftException(code, name() + ": " + text);
  }

  private String name() {
    return peer.name() + " at " + peer.address();
  }

  @Override
  public boolean isOpen() {
    return channel.isActive();
  }

  @Override
  public int callsUnderWay() {
    return calls.unsettled();
  }

  @Override
  public long heardNanos() {
    return keepAlive.heardNanos();
  }

  @Override
  public CompletableFuture<Void> closed() {
    return closed.copy();
  }

  @Override
  public void close() {
    endReason = "it was closed here";
    ChannelEnd.now(channel);
  }
}
