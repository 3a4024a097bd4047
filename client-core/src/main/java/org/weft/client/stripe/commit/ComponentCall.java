package org.weft.client.stripe.commit;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.OwnLimits;

/**
 * One component's part of an order: tried, with the same ids, until it is acknowledged, refused,
 * too late, or the terms have changed. The OSD answers a repeated id without executing it again (P
 * 5.4). Part of a {@link FileWriteMachine}: single-threaded; it keeps count of its tries, and says
 * what a failure means for it.
 */
final class ComponentCall {
  /** However patient the writer is: a component that only refuses is asked to be left out. */
  private static final int MAX_PATIENCE_MILLIS = 30_000;

  /** A payload that arrives damaged this often was not damaged on the way. */
  private static final int MAX_BAD_CHECKSUMS = 4;

  private final OpenOrder order;
  private final int epoch;
  private final int component;
  private final StripeOptions options;
  private final Backoff.Delays delays;
  private long startNanos;
  private int attempts;
  private int badChecksums;
  private int lostConnections;
  private boolean over;

  /**
   * A call of an order, which it keeps until it is {@link #end over}; the order counts it.
   *
   * @param epoch of the terms that it is made under
   */
  ComponentCall(
      OpenOrder order, int epoch, int component, StripeOptions options, RandomGenerator random) {
    this.order = order;
    this.epoch = epoch;
    this.component = component;
    this.options = options;
    this.delays = StripeContext.RETRIES.begin(random);
  }

  OpenOrder order() {
    return order;
  }

  int epoch() {
    return epoch;
  }

  int component() {
    return component;
  }

  /** A try is sent now. */
  void sent(long nowNanos) {
    if (attempts++ == 0) {
      startNanos = nowNanos;
    }
  }

  /** Nothing of it is under way, and nothing will be. */
  void end() {
    over = true;
    order.callEnded();
  }

  boolean isOver() {
    return over;
  }

  long nextDelayNanos() {
    return delays.nextNanos();
  }

  /** How long it has been tried, that pause included. */
  long spentMillis(long nowNanos, long delayNanos) {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos - startNanos + delayNanos);
  }

  boolean isInTime(long spentMillis) {
    return spentMillis < options.writeDeadlineMillis();
  }

  /** True where neither another try nor the loss of the component would be an answer. */
  static boolean isBeyondHelp(ErrorCode code) {
    return !code.mayPass() && !code.isOfReplica() && !code.isOvertaken();
  }

  /** Counts the failure; true if the same request may succeed later. */
  boolean mayPass(ErrorCode code) {
    return code.mayPass() || code == ErrorCode.BAD_CHECKSUM && ++badChecksums < MAX_BAD_CHECKSUMS;
  }

  /** The next attempt says whether the OSD is away or a connection had led nowhere. */
  boolean isFirstLostConnection(ErrorCode code) {
    return code == ErrorCode.CONNECTION_LOST && lostConnections++ == 0;
  }

  /** How long a component may fail so before it is thought to be lost. */
  int patienceMillis(ErrorCode code) {
    return code.isUnanswered()
        ? options.doubtMillis()
        : Math.min(options.writeDeadlineMillis() / 2, MAX_PATIENCE_MILLIS);
  }

  ComponentFailure report(WriteTerms terms, WeftException failure) {
    return new ComponentFailure(
        terms.file().name(), component, terms.file().map().osdOf(component), failure);
  }

  /** What an order that is undone fails with. */
  WeftException refusal(WriteTerms terms, WeftException failure) {
    String what =
        "cannot write %s: %s refused: %s"
            .formatted(terms.file().name(), terms.file().describe(component), failure.getMessage());
    return new WeftException(failure.code(), what, failure);
  }

  /** What the writing fails with if the component cannot be done without. */
  WeftException problem(WriteTerms terms, WeftException failure) {
    String what =
        "cannot write %s: %s failed, tries: %d: %s; the file is given up, write it again"
            .formatted(
                terms.file().name(),
                terms.file().describe(component),
                attempts,
                failure.getMessage());
    return new WeftException(failure.code(), what, failure);
  }

  /** What the writing fails with if this process was short of something for too long. */
  static WeftException ownLimit(WriteTerms terms, WeftException failure) {
    String what =
        "cannot write %s: %s; the file is given up, write it again"
            .formatted(terms.file().name(), OwnLimits.inWords(failure));
    return new WeftException(failure.code(), what, failure);
  }
}
