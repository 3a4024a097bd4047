package org.weft.client.stripe.commit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.RetryDelays;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.OwnLimits;
import org.weft.protocol.rpc.RpcException;

/**
 * One component's part of an order: tried, with the same ids, until it is acknowledged, refused,
 * too late, or the terms have changed. The OSD answers a repeated id without executing it again (P
 * 5.4).
 */
final class ComponentCall {
  /** However patient the writer is: a component that only refuses is asked to be left out. */
  private static final int MOST_PATIENCE_MILLIS = 30_000;

  /** A payload that arrives damaged this often was not damaged on the way. */
  private static final int MOST_BAD_CHECKSUMS = 4;

  private final RunSender sender;
  private final OpenOrder order;
  private final int epoch;
  private final int component;
  private final RetryDelays delays;
  private long startNanos;
  private int attempts;
  private int badChecksums;
  private int lostConnections;
  private boolean over;

  ComponentCall(RunSender sender, OpenOrder order, int epoch, int component) {
    this.sender = sender;
    this.order = order;
    this.epoch = epoch;
    this.component = component;
    this.delays = new RetryDelays(sender.context().random());
    // Under the sender's monitor: once the order has failed, nobody may take hold of it any more.
    order.order().retain();
  }

  int component() {
    return component;
  }

  /** Never throws, for those who start it have others to start: what cannot be sent has failed. */
  void start() {
    attempt();
  }

  /** It will not be started. */
  void drop() {
    order.order().release();
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    order.order().release();
    sender.ended(this, epoch);
  }

  private void attempt() {
    try {
      ComponentOrder.Try next = sender.tryOf(order, epoch, component);
      if (next == null) {
        end();
      } else {
        send(next);
      }
    } catch (RuntimeException | Error e) {
      sender.fail(RpcException.of(e));
      end();
    }
  }

  private void send(ComponentOrder.Try next) {
    if (attempts++ == 0) {
      startNanos = sender.context().ticker().nowNanos();
    }
    CompletableFuture<?> answer;
    try {
      answer = order.order().attempt(next);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var unused = answer.whenComplete((reply, thrown) -> answered(next, thrown));
  }

  private void answered(ComponentOrder.Try made, Throwable thrown) {
    try {
      settle(made, thrown);
    } catch (RuntimeException | Error e) {
      RpcException broken = RpcException.of(e);
      sender.fail(problem(made.terms(), broken));
      end();
    }
  }

  private void settle(ComponentOrder.Try made, Throwable thrown) {
    WriteTerms terms = made.terms();
    if (thrown == null) {
      sender.context().suspects().answered(terms.file().map().osdOf(component));
      sender.acknowledged(order, epoch, component, made.completeUpTo());
      end();
      return;
    }
    if (sender.tryOf(order, epoch, component) == null) {
      // It is being undone, or was given again, or nothing is written any more.
      end();
      return;
    }
    RpcException failure = RpcException.of(thrown);
    long delayNanos = delays.nextNanos();
    if (order.order().isAbortable(failure.code())) {
      sender.undo(order, epoch, refusal(terms, failure));
      end();
      return;
    }
    if (OwnLimits.caused(failure)) {
      tryAgainForOwnLimit(terms, failure, delayNanos);
      return;
    }
    boolean fenced = isFenced(failure.code());
    if (fenced) {
      // The manager fences the old grant before it answers with the next one (P 5.5, 5.8).
      sender.losses().renew(epoch, problem(terms, failure));
    } else if (isBeyondHelp(failure.code())) {
      sender.failed(epoch, report(terms, failure), problem(terms, failure));
      end();
      return;
    }
    boolean damaged = failure.code() == ErrorCode.BAD_CHECKSUM;
    boolean passing = failure.code().mayPass() || damaged && ++badChecksums < MOST_BAD_CHECKSUMS;
    long spentMillis = spentMillis(delayNanos);
    // The next attempt says whether the OSD is away or a connection had led nowhere.
    boolean isFirstLoss = failure.code() == ErrorCode.CONNECTION_LOST && lostConnections++ == 0;
    if (!fenced && !isFirstLoss && (!passing || spentMillis >= patienceMillis(failure.code()))) {
      sender.losses().doubt(epoch, report(terms, failure), problem(terms, failure));
    }
    boolean inTime = spentMillis < sender.context().options().writeDeadlineMillis();
    boolean hope = sender.losses().isAsking() || (passing || sender.losses().mayHelp()) && inTime;
    if (hope) {
      sender.context().after(delayNanos, this::attempt);
    } else {
      RpcException ending = sender.losses().ending(problem(terms, failure));
      sender.failed(epoch, report(terms, failure), ending);
      end();
    }
  }

  /** This process is short of something: the component is neither in doubt nor reported. */
  private void tryAgainForOwnLimit(WriteTerms terms, RpcException failure, long delayNanos) {
    if (spentMillis(delayNanos) < sender.context().options().writeDeadlineMillis()) {
      sender.context().after(delayNanos, this::attempt);
      return;
    }
    String what =
        "cannot write %s: %s; the file is given up, write it again"
            .formatted(terms.file().name(), OwnLimits.inWords(failure));
    sender.fail(new RpcException(failure.code(), what, failure));
    end();
  }

  private long spentMillis(long delayNanos) {
    return TimeUnit.NANOSECONDS.toMillis(
        sender.context().ticker().nowNanos() - startNanos + delayNanos);
  }

  /** True where neither another try nor the loss of the component would be an answer. */
  private static boolean isBeyondHelp(ErrorCode code) {
    return !code.mayPass()
        && switch (code) {
          case NO_SUCH_OBJECT, NO_SUCH_PARTITION, BAD_CHECKSUM, QUARANTINED -> false;
          default -> !code.isOfMedium() && !isFenced(code);
        };
  }

  /** A component that the manager has done without since cannot be made under the old grant. */
  private static boolean isFenced(ErrorCode code) {
    return code == ErrorCode.FENCED || code == ErrorCode.TOMBSTONE;
  }

  /** How long a component may fail so before it is thought to be lost. */
  private int patienceMillis(ErrorCode code) {
    StripeOptions options = sender.context().options();
    return code.isUnanswered()
        ? options.doubtMillis()
        : Math.min(options.writeDeadlineMillis() / 2, MOST_PATIENCE_MILLIS);
  }

  private ComponentFailure report(WriteTerms terms, RpcException failure) {
    return new ComponentFailure(
        terms.file().name(), component, terms.file().map().osdOf(component), failure);
  }

  private RpcException refusal(WriteTerms terms, RpcException failure) {
    String what =
        "cannot write %s: %s refused: %s"
            .formatted(terms.file().name(), terms.file().describe(component), failure.getMessage());
    return new RpcException(failure.code(), what, failure);
  }

  private RpcException problem(WriteTerms terms, RpcException failure) {
    String what =
        "cannot write %s: %s failed, tries: %d: %s; the file is given up, write it again"
            .formatted(
                terms.file().name(),
                terms.file().describe(component),
                attempts,
                failure.getMessage());
    return new RpcException(failure.code(), what, failure);
  }
}
