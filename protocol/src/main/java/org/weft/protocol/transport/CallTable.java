package org.weft.protocol.transport;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.RpcReply;

/**
 * The calls of one client connection: those that wait for the window of payload bytes, in order,
 * and those under way. Lives on the connection's event loop, except where said.
 */
final class CallTable {
  private final Wiring wiring;
  private final FrameSender sender;
  private final DeadlineQueue<ClientCall> deadlines;
  private final Map<Long, ClientCall> waiting = new LinkedHashMap<>();
  private final Map<Long, ClientCall> underWay = new LinkedHashMap<>();
  private final AtomicInteger unsettled = new AtomicInteger();
  private long lastRequestId;
  private long windowUsedBytes;

  CallTable(Wiring wiring, FrameSender sender, DeadlineQueue<ClientCall> deadlines) {
    this.wiring = wiring;
    this.sender = sender;
    this.deadlines = deadlines;
  }

  /** Any thread: counts one more call in, unless there are too many already. */
  boolean admit() {
    if (unsettled.incrementAndGet() <= wiring.options().maxCalls()) {
      return true;
    }
    unsettled.decrementAndGet();
    return false;
  }

  /** Any thread: calls that are neither answered nor given up. */
  int unsettled() {
    return unsettled.get();
  }

  /** A new call; its caller may have given it up already. */
  void submit(ClientCall call) {
    call.number(++lastRequestId);
    if (call.future().isDone()) {
      settle(call, Optional.of(ErrorCode.CANCELLED));
      FrameSender.drop(call);
      return;
    }
    call.enter(ClientCall.Stage.WAITING);
    waiting.put(call.requestId(), call);
    deadlines.add(call.deadlineNanos(), call);
  }

  /** Moves waiting calls on while the window has room; one alone may be larger than the window. */
  void pump() {
    while (!waiting.isEmpty()) {
      ClientCall call = waiting.values().iterator().next();
      long wanted = windowUsedBytes + call.payloadBytes();
      if (windowUsedBytes > 0 && wanted > wiring.options().windowBytes()) {
        break;
      }
      waiting.remove(call.requestId());
      windowUsedBytes = wanted;
      underWay.put(call.requestId(), call);
      call.enter(ClientCall.Stage.QUEUED);
      sender.offer(call);
    }
    sender.pump();
  }

  /** The call that an answer belongs to; null if it was settled before. */
  ClientCall answered(long requestId) {
    return underWay.get(requestId);
  }

  void succeed(ClientCall call, RpcReply reply) {
    settle(call, Optional.empty());
    if (!call.future().complete(reply)) {
      reply.payload().release();
    }
  }

  void fail(ClientCall call, WeftException failure) {
    settle(call, Optional.of(failure.code()));
    call.future().completeExceptionally(failure);
  }

  /**
   * Gives a call up for its caller or its deadline: it does not leave any more, or is cancelled
   * over there.
   */
  void abandon(ClientCall call, WeftException failure) {
    ClientCall.Stage stage = call.stage();
    fail(call, failure);
    if (stage == ClientCall.Stage.WAITING) {
      FrameSender.drop(call);
    } else if (stage == ClientCall.Stage.QUEUED) {
      sender.withdraw(call);
    } else if (stage == ClientCall.Stage.SENT) {
      sender.offer(PlainFrame.cancel(call.requestId()));
      sender.pump();
    }
  }

  /** The connection has ended: fails all calls, in the order they were made. */
  void failAll(Function<ClientCall, WeftException> failure) {
    deadlines.close();
    List<ClientCall> calls = new ArrayList<>(underWay.values());
    List<ClientCall> never = List.copyOf(waiting.values());
    calls.addAll(never);
    for (ClientCall call : calls) {
      if (!call.settled()) {
        fail(call, failure.apply(call));
      }
    }
    never.forEach(FrameSender::drop);
  }

  /** The call's bytes have left or were given up. */
  void left(ClientCall call, boolean sent) {
    if (!sent && !call.settled() && call.future().isDone()) {
      // Its caller gave it up and the word of that is still in the inbox.
      settle(call, Optional.of(ErrorCode.CANCELLED));
    } else {
      returnWindow(call);
    }
    if (!waiting.isEmpty()) {
      pump();
    }
  }

  private void settle(ClientCall call, Optional<ErrorCode> failure) {
    call.markSettled();
    unsettled.decrementAndGet();
    waiting.remove(call.requestId());
    underWay.remove(call.requestId());
    deadlines.remove(call.deadlineNanos(), call);
    wiring
        .metrics()
        .called(call.opcodeNumber(), failure, wiring.ticker().nowNanos() - call.startNanos());
    returnWindow(call);
  }

  private void returnWindow(ClientCall call) {
    boolean counted =
        call.stage() == ClientCall.Stage.QUEUED || call.stage() == ClientCall.Stage.SENT;
    if (counted && call.over()) {
      windowUsedBytes -= call.payloadBytes();
    }
  }
}
