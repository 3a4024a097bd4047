package org.weft.sysmgr.service.intake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.RpcPeer;

/**
 * Queues requests that are not signed, and has them answered in turns. Connections take turns one
 * after another, a request at each turn, and at most one turn waits in the home executor at a time.
 * So what daemons sign, and SysMgr's own ticks, wait for one such request at most, however many
 * there are. Thread-safe.
 */
public final class OpenQuestions {
  private static final int MAX_WAITING = 16_384;

  /** That wait for the replicated log. */
  private static final int MAX_UNDER_WAY = 64;

  private final Executor home;
  private final Function<InboundRequest, CompletionStage<?>> answer;
  private final Map<RpcPeer, Queue<InboundRequest>> waiting = new LinkedHashMap<>();
  private int waitingCount;
  private int underWay;
  private boolean turnIsDue;
  private boolean closed;

  /**
   * @param answer runs on the home executor and answers the request; its stage never fails
   */
  public OpenQuestions(Executor home, Function<InboundRequest, CompletionStage<?>> answer) {
    this.home = home;
    this.answer = answer;
  }

  /** Answers the request when it is its turn, or says at once that it cannot. */
  public void ask(InboundRequest request) {
    if (add(request)) {
      goOn();
    } else {
      request.fail(
          ErrorCode.OVERLOADED, "SysMgr has too many requests that wait already; try again later");
    }
  }

  private synchronized boolean add(InboundRequest request) {
    if (closed || waitingCount >= MAX_WAITING) {
      return false;
    }
    waiting.computeIfAbsent(request.peer(), peer -> new ArrayDeque<>()).add(request);
    waitingCount++;
    return true;
  }

  private void goOn() {
    while (takeTurn()) {
      try {
        home.execute(this::turn);
        return;
      } catch (RejectedExecutionException e) {
        // The next request may find room: only the one whose turn it was is refused.
        refuseTurn();
      }
    }
  }

  private synchronized boolean takeTurn() {
    if (turnIsDue || closed || waitingCount == 0 || underWay >= MAX_UNDER_WAY) {
      return false;
    }
    turnIsDue = true;
    return true;
  }

  private void refuseTurn() {
    InboundRequest request = next();
    if (request != null) {
      synchronized (this) {
        underWay--;
      }
      request.fail(ErrorCode.OVERLOADED, "SysMgr has no room for a request; try again later");
    }
  }

  private void turn() {
    InboundRequest request = next();
    if (request == null) {
      return;
    }
    if (request.cancelled()) {
      request.fail(ErrorCode.DEADLINE_EXCEEDED, "the caller waits no more");
      answered();
    } else {
      var unused = answer.apply(request).whenComplete((done, failure) -> answered());
    }
    goOn();
  }

  private synchronized InboundRequest next() {
    turnIsDue = false;
    if (waitingCount == 0) {
      return null;
    }
    Iterator<Map.Entry<RpcPeer, Queue<InboundRequest>>> first = waiting.entrySet().iterator();
    Map.Entry<RpcPeer, Queue<InboundRequest>> turn = first.next();
    RpcPeer peer = turn.getKey();
    Queue<InboundRequest> left = turn.getValue();
    first.remove();
    InboundRequest request = left.remove();
    if (!left.isEmpty()) {
      waiting.put(peer, left);
    }
    waitingCount--;
    underWay++;
    return request;
  }

  private void answered() {
    synchronized (this) {
      underWay--;
    }
    goOn();
  }

  /** Refuses what waits, and all that is asked later. */
  public void close() {
    List<InboundRequest> refused = new ArrayList<>();
    synchronized (this) {
      closed = true;
      waiting.values().forEach(refused::addAll);
      waiting.clear();
      waitingCount = 0;
    }
    refused.forEach(
        request -> request.fail(ErrorCode.UNAVAILABLE, "this SysMgr member is stopping"));
  }
}
