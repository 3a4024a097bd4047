package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Components of a file that do not take its writer's orders, and the asking to do without them (P
 * 5.8). Asks for all of them at once, one request at a time, with pauses between; the calls to the
 * components go on meanwhile, and a component that answers is in doubt no more. Thread-safe; its
 * monitor may be taken under the sender's, never the other way.
 */
final class Losses {
  private final RunSender sender;
  private final Regrants regrants;
  private final FailureListener listener;

  // Guarded by the monitor.
  private final SortedMap<Integer, ComponentFailure> doubted = new TreeMap<>();
  private final SortedSet<Integer> reported = new TreeSet<>();
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
  private RetryDelays delays;
  private long deadlineNanos;
  private RpcException problem;
  private boolean asking;
  private boolean pausing;
  private boolean hopeless;

  Losses(RunSender sender, Regrants regrants, FailureListener listener) {
    this.sender = sender;
    this.regrants = regrants;
    this.listener = listener;
  }

  /**
   * That component has failed for a while, or says itself that it is of no use.
   *
   * @param ifRefused what the writing fails with if nothing can be done
   */
  void doubt(int epoch, ComponentFailure failure, RpcException ifRefused) {
    if (!sender.isCurrent(epoch)) {
      return;
    }
    report(failure);
    boolean ask;
    synchronized (this) {
      if (hopeless) {
        return;
      }
      if (doubted.isEmpty()) {
        problem = ifRefused;
        delays = new RetryDelays(sender.engine().random());
        deadlineNanos =
            sender.engine().ticker().nowNanos()
                + TimeUnit.MILLISECONDS.toNanos(sender.engine().options().writeDeadlineMillis());
      }
      doubted.putIfAbsent(failure.componentIndex(), failure);
      ask = !asking && !pausing;
      asking |= ask;
    }
    if (ask) {
      ask();
    }
  }

  /** Tells of a failure, once for each component. */
  void report(ComponentFailure failure) {
    synchronized (this) {
      if (!reported.add(failure.componentIndex())) {
        return;
      }
    }
    listener.failed(failure);
  }

  /** The component has acknowledged something. */
  synchronized void answered(int component) {
    if (!doubted.isEmpty()) {
      doubted.remove(component);
    }
  }

  /** False once it is known that nobody can be asked. */
  synchronized boolean mayHelp() {
    return !hopeless;
  }

  /** True while an answer is awaited. */
  synchronized boolean isAsking() {
    return asking;
  }

  /** Completes when no answer is awaited: until then the terms may change at any moment. */
  CompletableFuture<Void> quiet() {
    synchronized (this) {
      if (asking) {
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        waiting.add(quiet);
        return quiet;
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  private void ask() {
    WriteTerms under = sender.terms();
    long completeUpTo = sender.complete().seq();
    List<ComponentFailure> lost;
    synchronized (this) {
      // Who doubted while the last answer came in did not know what it says.
      doubted.keySet().removeIf(under.file().map()::isMissing);
      lost = List.copyOf(doubted.values());
    }
    if (lost.isEmpty() || sender.hasFailed()) {
      settled();
      return;
    }
    var unused =
        regrants
            .regrant(under, lost, completeUpTo)
            .whenComplete(
                (terms, thrown) -> {
                  if (thrown == null) {
                    granted(terms);
                  } else {
                    refused(RpcException.of(thrown));
                  }
                });
  }

  private void granted(WriteTerms terms) {
    synchronized (this) {
      doubted.clear();
      reported.clear();
    }
    sender.adopt(terms);
    synchronized (this) {
      doubted.keySet().removeIf(terms.file().map()::isMissing);
    }
    settled();
  }

  private void refused(RpcException why) {
    RpcException ending = null;
    long delayNanos = 0;
    synchronized (this) {
      switch (why.code()) {
        case UNSUPPORTED -> hopeless = true;
        case UNAVAILABLE, OVERLOADED, NOT_SERVING, DEADLINE_EXCEEDED, CONNECTION_LOST -> {
          delayNanos = delays.nextNanos();
          long nowNanos = sender.engine().ticker().nowNanos();
          boolean inTime = nowNanos + delayNanos - deadlineNanos < 0;
          if (inTime && !doubted.isEmpty()) {
            pausing = true;
          } else if (!doubted.isEmpty()) {
            ending = problem;
          }
        }
        default -> ending = refusal(why);
      }
    }
    if (ending != null) {
      sender.fail(ending);
    }
    settled();
    if (isPausing()) {
      sender.engine().after(delayNanos, this::askAgain);
    }
  }

  /** The code of the manager's answer counts: it says what has become of the file. */
  private RpcException refusal(RpcException why) {
    ErrorCode code = why.code();
    String message =
        "%s (asked to do without it, the manager says: %s)"
            .formatted(problem.getMessage(), why.getMessage());
    return new RpcException(code, message, why);
  }

  private synchronized boolean isPausing() {
    return pausing;
  }

  private void askAgain() {
    synchronized (this) {
      pausing = false;
      if (asking || doubted.isEmpty()) {
        return;
      }
      asking = true;
    }
    ask();
  }

  private void settled() {
    List<CompletableFuture<Void>> told;
    synchronized (this) {
      asking = false;
      told = List.copyOf(waiting);
      waiting.clear();
    }
    told.forEach(quiet -> quiet.complete(null));
  }
}
