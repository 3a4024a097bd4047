package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.RetryDelays;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Components of a file that do not take its writer's orders, and the asking to do without them (P
 * 5.8). Asks for all of them at once, one request at a time, with pauses between; the calls to the
 * components go on meanwhile, and a component that answers is in doubt no more. A doubt about terms
 * that have been replaced is none. Thread-safe; its monitor may be taken under the sender's, never
 * the other way.
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
  // What the manager said last: the code bears no more losses. Null if it did not say so.
  private RpcException tooMany;
  private boolean asking;
  private boolean pausing;
  private boolean hopeless;
  private boolean renewal;
  // Of the terms that doubts are about: the sender's, or those that it is about to adopt.
  private int epoch;

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
  void doubt(int ofEpoch, ComponentFailure failure, RpcException ifRefused) {
    if (!sender.isCurrent(ofEpoch)) {
      return;
    }
    boolean ask = false;
    synchronized (this) {
      // The terms may have been replaced since.
      if (ofEpoch < epoch) {
        return;
      }
      if (!hopeless) {
        begin(ifRefused);
        doubted.putIfAbsent(failure.componentIndex(), failure);
        ask = mayAsk();
      }
    }
    report(failure);
    if (ask) {
      ask();
    }
  }

  /**
   * The grant has ended on a component: either it is about to be replaced, or the manager is asked
   * whether there is another in its place.
   *
   * @param ifRefused what the writing fails with if there is none
   * @return true if it is asked; false if those terms are not in force, or nobody can be asked
   */
  boolean renew(int ofEpoch, RpcException ifRefused) {
    if (!sender.isCurrent(ofEpoch)) {
      return false;
    }
    boolean ask;
    synchronized (this) {
      // The terms may have been replaced since.
      if (ofEpoch < epoch || hopeless) {
        return false;
      }
      begin(ifRefused);
      renewal = true;
      ask = mayAsk();
    }
    if (ask) {
      ask();
    }
    return true;
  }

  private boolean isNeeded() {
    return renewal || !doubted.isEmpty();
  }

  private void begin(RpcException ifRefused) {
    if (!isNeeded()) {
      problem = ifRefused;
      tooMany = null;
      delays = new RetryDelays(sender.context().random());
      deadlineNanos =
          sender.context().ticker().nowNanos()
              + TimeUnit.MILLISECONDS.toNanos(sender.context().options().writeDeadlineMillis());
    }
  }

  private boolean mayAsk() {
    boolean ask = !asking && !pausing;
    asking |= ask;
    return ask;
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

  /** True while a component, or the grant itself, is in doubt: the terms may change. */
  synchronized boolean isInDoubt() {
    return !hopeless && isNeeded();
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

  /** Never throws: all that wait for the answer hear of it, well or not. */
  private void ask() {
    try {
      askNow();
    } catch (RuntimeException | Error e) {
      broken(e);
    }
  }

  /** Nothing is known of the terms any more: the writing ends. */
  private void broken(Throwable e) {
    sender.fail(RpcException.of(e));
    settled();
  }

  private void askNow() {
    WriteTerms under = sender.terms();
    long completeUpTo = sender.complete().seq();
    List<ComponentFailure> lost;
    boolean needed;
    synchronized (this) {
      // Who doubted while the last answer came in did not know what it says.
      doubted.keySet().removeIf(under.file().map()::isMissing);
      lost = List.copyOf(doubted.values());
      needed = isNeeded();
    }
    if (!needed || sender.hasFailed()) {
      settled();
      return;
    }
    var unused =
        regrants
            .regrant(under, lost, completeUpTo)
            .whenComplete(
                (terms, thrown) -> {
                  try {
                    if (thrown == null) {
                      granted(terms);
                    } else {
                      refused(RpcException.of(thrown));
                    }
                  } catch (RuntimeException | Error e) {
                    broken(e);
                  }
                });
  }

  private void granted(WriteTerms terms) {
    synchronized (this) {
      // Nobody's doubts but those of the new terms count from now on.
      epoch++;
      doubted.clear();
      reported.clear();
      renewal = false;
      tooMany = null;
    }
    sender.adopt(terms);
    settled();
  }

  private void refused(RpcException why) {
    RpcException ending = null;
    long delayNanos = 0;
    synchronized (this) {
      // OSDs that are away or in quarantine may be back in time: the calls to them go on.
      boolean isTooMany = why.code() == ErrorCode.TOO_MANY_LOST;
      tooMany = isTooMany ? why : null;
      if (why.code() == ErrorCode.UNSUPPORTED) {
        hopeless = true;
      } else if (why.code().mayPass() || why.code().isNotTaken() || isTooMany) {
        delayNanos = delays.nextNanos();
        if (!mayAskAgain(delayNanos)) {
          ending = ending(problem);
        }
      } else {
        ending = refusal(problem, why);
      }
    }
    if (ending != null) {
      sender.fail(ending);
    }
    settled();
    if (isPausing()) {
      sender.context().after(delayNanos, this::askAgain);
    }
  }

  /**
   * Begins a pause, after which the manager is asked again; where nothing is in doubt any more it
   * need not be.
   *
   * @return false if the time is over
   */
  private boolean mayAskAgain(long delayNanos) {
    long nowNanos = sender.context().ticker().nowNanos();
    pausing = isNeeded() && nowNanos + delayNanos - deadlineNanos < 0;
    return pausing || !isNeeded();
  }

  /** The code of the manager's answer counts: it says what has become of the file. */
  private static RpcException refusal(RpcException problem, RpcException why) {
    String message =
        "%s (asked to do without it, the manager says: %s)"
            .formatted(problem.getMessage(), why.getMessage());
    return new RpcException(why.code(), message, why);
  }

  /** A problem that ends the writing, with the manager's word if it bears no more losses. */
  synchronized RpcException ending(RpcException last) {
    return tooMany == null ? last : refusal(last, tooMany);
  }

  private synchronized boolean isPausing() {
    return pausing;
  }

  private void askAgain() {
    synchronized (this) {
      pausing = false;
      if (asking || !isNeeded()) {
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
