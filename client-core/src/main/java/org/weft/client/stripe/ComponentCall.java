package org.weft.client.stripe;

import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * One component's part of an order: tried, with the same ids, until it is acknowledged, refused,
 * too late, or the terms have changed. The OSD answers a repeated id without executing it again (P
 * 5.4).
 */
final class ComponentCall {
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

  ComponentCall(RunSender sender, OpenOrder order, int epoch, int component) {
    this.sender = sender;
    this.order = order;
    this.epoch = epoch;
    this.component = component;
    this.delays = new RetryDelays(sender.engine().random());
  }

  void start() {
    order.order().retain();
    startNanos = sender.engine().ticker().nowNanos();
    attempt();
  }

  private void attempt() {
    ComponentOrder.Try next = sender.tryOf(order, epoch, component);
    if (next == null) {
      order.order().release();
      return;
    }
    attempts++;
    var unused =
        order.order().attempt(next).whenComplete((reply, thrown) -> answered(next.terms(), thrown));
  }

  private void answered(WriteTerms terms, Throwable thrown) {
    try {
      settle(terms, thrown);
    } catch (RuntimeException e) {
      RpcException broken = RpcException.of(e);
      sender.fail(problem(terms, broken));
    }
  }

  private void settle(WriteTerms terms, Throwable thrown) {
    if (thrown == null) {
      sender.engine().suspects().answered(terms.file().map().osdOf(component));
      sender.acknowledged(order, epoch, component);
      order.order().release();
      return;
    }
    RpcException failure = RpcException.of(thrown);
    long delayNanos = delays.nextNanos();
    if (isBeyondHelp(failure.code())) {
      order.order().release();
      sender.failed(epoch, report(terms, failure), problem(terms, failure));
      return;
    }
    boolean damaged = failure.code() == ErrorCode.BAD_CHECKSUM;
    boolean passing = mayPass(failure.code()) || damaged && ++badChecksums < MOST_BAD_CHECKSUMS;
    long spentMillis = spentMillis(delayNanos);
    if (!passing || spentMillis >= patienceMillis(failure.code())) {
      sender.losses().doubt(epoch, report(terms, failure), problem(terms, failure));
    }
    boolean inTime = spentMillis < sender.engine().options().writeDeadlineMillis();
    boolean hope = sender.losses().isAsking() || (passing || sender.losses().mayHelp()) && inTime;
    if (hope) {
      sender.engine().after(delayNanos, this::attempt);
    } else {
      order.order().release();
      sender.failed(epoch, report(terms, failure), problem(terms, failure));
    }
  }

  private long spentMillis(long delayNanos) {
    return TimeUnit.NANOSECONDS.toMillis(
        sender.engine().ticker().nowNanos() - startNanos + delayNanos);
  }

  /** True where neither another try nor the loss of the component would be an answer. */
  private static boolean isBeyondHelp(ErrorCode code) {
    return !mayPass(code)
        && switch (code) {
          case NO_SUCH_OBJECT, NO_SUCH_PARTITION, BAD_MEDIA, BAD_CHECKSUM, QUARANTINED -> false;
          default -> true;
        };
  }

  /** True for failures after which the same may succeed. */
  static boolean mayPass(ErrorCode code) {
    return switch (code) {
      case CONNECTION_LOST, UNAVAILABLE, DEADLINE_EXCEEDED, OVERLOADED, BUSY -> true;
      default -> false;
    };
  }

  /** How long a component may fail so before it is thought to be lost. */
  private int patienceMillis(ErrorCode code) {
    StripeOptions options = sender.engine().options();
    return switch (code) {
      case CONNECTION_LOST, UNAVAILABLE, DEADLINE_EXCEEDED -> options.doubtMillis();
      default -> options.writeDeadlineMillis() / 2;
    };
  }

  private ComponentFailure report(WriteTerms terms, RpcException failure) {
    return new ComponentFailure(
        terms.file().name(), component, terms.file().map().osdOf(component), failure);
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
