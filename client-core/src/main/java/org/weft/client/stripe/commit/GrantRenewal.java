package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.seam.Ticker;

/**
 * Tracks components of a file that do not take its writer's orders, and decides when to ask the
 * manager to do without them (P 5.8). The manager is asked for all of them at once, one request at
 * a time, with pauses between. The calls to the components go on meanwhile, and a component that
 * answers is in doubt no more.
 *
 * <p>Part of a {@link FileWriteMachine}: single-threaded, without IO. It keeps account, and says
 * when the manager is to be asked; the machine asks.
 */
final class GrantRenewal {
  /**
   * What a refused question means.
   *
   * @param ending what the writing ends with; null if it goes on
   * @param pauseNanos after which the manager is asked again; 0 if it need not be
   */
  record Refused(WeftException ending, long pauseNanos) {}

  private final StripeOptions options;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final SortedMap<Integer, ComponentFailure> doubted = new TreeMap<>();
  private final SortedSet<Integer> reported = new TreeSet<>();
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
  private Backoff.Delays delays;
  private long deadlineNanos;
  private WeftException problem;
  // What the manager said last: the code bears no more losses. Null if it did not say so.
  private WeftException tooMany;
  private boolean asking;
  private boolean pausing;
  private boolean hopeless;
  private boolean renewal;

  /**
   * Of one file.
   *
   * @param mayAsk false: there is no manager to be asked, a component that fails ends the writing
   */
  GrantRenewal(StripeOptions options, Ticker ticker, RandomGenerator random, boolean mayAsk) {
    this.hopeless = !mayAsk;
    this.options = options;
    this.ticker = ticker;
    this.random = random;
  }

  /**
   * That component has failed for a while, or says itself that it is of no use.
   *
   * @param ifRefused what the writing fails with if nothing can be done
   * @return true if the manager is to be asked now
   */
  boolean doubt(ComponentFailure failure, WeftException ifRefused) {
    if (hopeless) {
      return false;
    }
    begin(ifRefused);
    doubted.putIfAbsent(failure.componentIndex(), failure);
    return mayAsk();
  }

  /**
   * The grant has ended on a component. Either it is about to be replaced, or the manager is asked
   * whether there is another in its place.
   *
   * @param ifRefused what the writing fails with if there is none
   * @return true if the manager is to be asked now
   */
  boolean renew(WeftException ifRefused) {
    if (hopeless) {
      return false;
    }
    begin(ifRefused);
    renewal = true;
    return mayAsk();
  }

  private boolean isNeeded() {
    return renewal || !doubted.isEmpty();
  }

  private void begin(WeftException ifRefused) {
    if (!isNeeded()) {
      problem = ifRefused;
      tooMany = null;
      delays = StripeContext.RETRIES.begin(random);
      deadlineNanos =
          ticker.nowNanos() + TimeUnit.MILLISECONDS.toNanos(options.writeDeadlineMillis());
    }
  }

  private boolean mayAsk() {
    boolean ask = !asking && !pausing;
    asking |= ask;
    return ask;
  }

  /** A pause is over; true if the manager is to be asked now. */
  boolean isPauseOver() {
    pausing = false;
    boolean ask = !asking && isNeeded();
    asking |= ask;
    return ask;
  }

  /** True once for each component under the same terms: its failure is to be told. */
  boolean isNews(ComponentFailure failure) {
    return reported.add(failure.componentIndex());
  }

  /** The component has acknowledged something. */
  void answered(int component) {
    if (!doubted.isEmpty()) {
      doubted.remove(component);
    }
  }

  /** False once it is known that there is no manager to ask. */
  boolean mayHelp() {
    return !hopeless;
  }

  /** True while a component, or the grant itself, is in doubt: the terms may change. */
  boolean isInDoubt() {
    return !hopeless && isNeeded();
  }

  /** True while an answer is awaited. */
  boolean isAsking() {
    return asking;
  }

  /** Completes when no answer is awaited: until then the terms may change at any moment. */
  CompletableFuture<Void> quiet() {
    if (!asking) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    waiting.add(quiet);
    return quiet;
  }

  /**
   * What the manager is asked for.
   *
   * @return components in doubt, none if only the grant is; null if nothing is to be asked
   */
  List<ComponentFailure> question() {
    return isNeeded() ? List.copyOf(doubted.values()) : null;
  }

  /** The manager has granted other terms: earlier doubts are not about those. */
  void granted() {
    doubted.clear();
    reported.clear();
    renewal = false;
    tooMany = null;
  }

  /** The manager has granted nothing. */
  Refused refused(WeftException why) {
    // OSDs that are away or in quarantine may be back in time: the calls to them go on.
    boolean isTooMany = why.code() == ErrorCode.TOO_MANY_LOST;
    tooMany = isTooMany ? why : null;
    if (why.code() == ErrorCode.UNSUPPORTED) {
      hopeless = true;
      return new Refused(null, 0);
    }
    if (!why.code().mayPass() && !why.code().isNotTaken() && !isTooMany) {
      return new Refused(refusal(problem, why), 0);
    }
    long delayNanos = delays.nextNanos();
    pausing = isNeeded() && ticker.nowNanos() + delayNanos - deadlineNanos < 0;
    WeftException ending = pausing || !isNeeded() ? null : ending(problem);
    return new Refused(ending, pausing ? delayNanos : 0);
  }

  /** The code of the manager's answer counts: it says what has become of the file. */
  private static WeftException refusal(WeftException problem, WeftException why) {
    String message =
        "%s (asked to do without it, the manager says: %s)"
            .formatted(problem.getMessage(), why.getMessage());
    return new WeftException(why.code(), message, why);
  }

  /** A problem that ends the writing, with the manager's word if it bears no more losses. */
  WeftException ending(WeftException last) {
    return tooMany == null ? last : refusal(last, tooMany);
  }

  /** No answer is awaited any more; the waits that this ends. */
  List<CompletableFuture<Void>> settled() {
    asking = false;
    List<CompletableFuture<Void>> over = List.copyOf(waiting);
    waiting.clear();
    return over;
  }
}
