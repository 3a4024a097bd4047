package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.OwnLimits;
import org.weft.protocol.seam.Ticker;

/**
 * Decides what becomes of the writes of one file under its write grant: single-threaded, without
 * IO. {@link FileWriteService} tells it what has happened, one event at a time, and does what the
 * {@link WriteEffect}s say.
 *
 * <p>Each order gets its sequence numbers here, and is complete when every component that the map
 * calls present has acknowledged it. Until then its values are kept. When components are lost and
 * the manager grants terms without them, all incomplete orders are given again under the new grant.
 * They keep their values and get numbers from 1 (P 5.8), and each component hears of them in their
 * order. Those that do not fit the new terms end with {@link TermsReplaced}. Two orders for the
 * same bytes must not be incomplete at once: OSDs would answer BUSY until the first is (P 5.4).
 *
 * <p>A component that has no room for an order that may fail alone does not end the writing. The
 * order is undone on all components, counts as complete then, and fails (P 5.4). Where a manager
 * may have kept it, it must lie within the file: bytes behind the end count as zeros here.
 */
final class FileWriteMachine {
  private final StripeOptions options;
  private final Ticker ticker;
  private final OwnOrders own;
  private final OpenOrders orders;
  private final GrantRenewal renewal;
  private final UnnotifiedComponents words = new UnnotifiedComponents(this::point);
  private final UnsyncedComponents undurable = new UnsyncedComponents();
  private final WriteEffects effects = new WriteEffects();
  private WriteTerms terms;
  private WeftException failure;

  /**
   * A machine for a file under its grant.
   *
   * @param mayAsk there is a manager to be asked
   * @param own makes the orders that the machine gives by itself
   * @param sizeBytes length of the file before: what must exist by it is not created
   */
  FileWriteMachine(
      StripeOptions options,
      Ticker ticker,
      RandomGenerator random,
      OwnOrders own,
      WriteTerms terms,
      long sizeBytes,
      boolean mayAsk) {
    this.options = options;
    this.ticker = ticker;
    this.own = own;
    this.terms = terms;
    ComponentExistence made = new ComponentExistence(terms.file().layout(), sizeBytes);
    this.orders = new OpenOrders(options, random, made, sizeBytes);
    this.renewal = new GrantRenewal(options, ticker, random, mayAsk);
    this.failure = FileComponents.tooManyMissing(terms.file());
    // What was written under earlier grants may wait for a checkpoint still.
    made.known().stream().forEach(undurable::acknowledged);
  }

  /**
   * Takes note of an event. A broken invariant, or want of memory, ends the writing.
   *
   * @return what is to be done now, in this order
   */
  List<WriteEffect> on(WriteEvent event) {
    try {
      event.tell(this);
    } catch (RuntimeException | Error e) {
      fail(WeftException.of(e));
    }
    return effects.take();
  }

  WriteTerms terms() {
    return terms;
  }

  WeftException failure() {
    return failure;
  }

  CompletePoint complete() {
    return orders.count() == 0
        ? CompletePoint.NONE
        : new CompletePoint(terms.grant().number(), orders.mark().completeUpTo());
  }

  OpenOrders orders() {
    return orders;
  }

  GrantRenewal renewal() {
    return renewal;
  }

  UnnotifiedComponents words() {
    return words;
  }

  UnsyncedComponents undurable() {
    return undurable;
  }

  /** The file was cut: writes carry the new number from now on (P 4.3). */
  void truncated(int truncationNumber, long sizeBytes) {
    terms = new WriteTerms(terms.file(), terms.grant().withTruncationNumber(truncationNumber));
    orders.cut(sizeBytes);
  }

  /** An order is given: it is sent, or refused. */
  void submit(OpenOrder opened) {
    try {
      if (failure != null) {
        close(opened, failure);
      } else if (!opened.order().fits(terms, false)) {
        close(opened, new TermsReplaced());
      } else {
        List<ComponentCall> calls = orders.give(opened, terms);
        if (calls.isEmpty()) {
          completed(opened);
        }
        orders.admit(calls).forEach(this::attempt);
      }
    } catch (RuntimeException | Error e) {
      fail(WeftException.of(e));
      close(opened, failure);
    }
  }

  /** A call may be sent now, if there is still need of it; else the next one in its line. */
  void attempt(ComponentCall first) {
    ComponentCall call = first;
    try {
      while (call != null && !isLeft(call)) {
        call = next(call);
      }
      if (call != null) {
        send(call);
      }
    } catch (RuntimeException | Error e) {
      unsent(call, e);
    }
  }

  private boolean isLeft(ComponentCall call) {
    return failure == null
        && orders.epoch() == call.epoch()
        && call.order().isLeft(call.component());
  }

  private void send(ComponentCall call) {
    OpenOrder order = call.order();
    ComponentOrder.Try attempt =
        new ComponentOrder.Try(
            terms,
            call.component(),
            !orders.components().isMade(call.component()),
            order.present(),
            order.firstSeq(),
            orders.mark().completeUpTo(),
            options.writeAttemptMillis());
    call.sent(ticker.nowNanos());
    effects.add(new WriteEffect.Send(call, attempt));
  }

  /** A call cannot be sent, because something is broken here. */
  void unsent(ComponentCall call, Throwable why) {
    fail(WeftException.of(why));
    end(call);
  }

  /** A call is over, well or not: the next one at its component may begin. */
  private void end(ComponentCall call) {
    ComponentCall next = next(call);
    if (next != null) {
      attempt(next);
    }
  }

  private ComponentCall next(ComponentCall ended) {
    if (ended.isOver()) {
      return null;
    }
    ended.end();
    effects.release(ended.order());
    return orders.next(ended);
  }

  /**
   * A try of a call is over.
   *
   * @param thrown null if the component has done what it was asked for, under the terms now in
   *     force or earlier ones
   */
  void answered(ComponentCall call, ComponentOrder.Try made, Throwable thrown) {
    try {
      if (thrown == null) {
        acknowledged(call, made.completeUpTo());
        end(call);
      } else if (isLeft(call)) {
        failed(call, made.terms(), WeftException.of(thrown));
      } else {
        // It is being undone, or was given again, or nothing is written any more.
        end(call);
      }
    } catch (RuntimeException | Error e) {
      fail(call.problem(made.terms(), WeftException.of(e)));
      close(call.order(), failure);
      end(call);
    }
  }

  /**
   * A component has done what it was asked for.
   *
   * @param toldUpTo what it has heard of completion with that
   */
  private void acknowledged(ComponentCall call, long toldUpTo) {
    OpenOrder order = call.order();
    int component = call.component();
    boolean current = orders.epoch() == call.epoch();
    renewal.answered(component);
    orders.components().acknowledged(component, current);
    order.order().acknowledged(component);
    if (order.order().needsFlush()) {
      undurable.acknowledged(component);
    }
    if (!current || !orders.isOpen(order)) {
      return;
    }
    if (order.order().seqCount() > 0) {
      words.acknowledged(component, order.lastSeq(), toldUpTo);
    }
    order.acknowledged(component);
    if (order.isComplete()) {
      List<ComponentCall> next = orders.nextPhase(order, terms);
      if (next.isEmpty()) {
        completed(order);
      } else {
        // A call that waits in its line is not sent now, but the order is not complete without it.
        orders.admit(next).forEach(this::attempt);
      }
    }
  }

  private void failed(ComponentCall call, WriteTerms under, WeftException why) {
    long delayNanos = call.nextDelayNanos();
    if (call.order().order().isAbortable(why.code())) {
      undo(call.order(), call.refusal(under, why));
      end(call);
      return;
    }
    long spentMillis = call.spentMillis(ticker.nowNanos(), delayNanos);
    boolean inTime = call.isInTime(spentMillis);
    if (OwnLimits.caused(why)) {
      // This process is short of something: the component is neither in doubt nor reported.
      if (inTime) {
        effects.add(new WriteEffect.TryLater(call, delayNanos));
      } else {
        fail(ComponentCall.ownLimit(under, why));
        end(call);
      }
      return;
    }
    boolean fenced = why.code().isOvertaken();
    if (fenced) {
      // The manager fences the old grant before it answers with the next one (P 5.5, 5.8).
      ask(renewal.renew(call.problem(under, why)));
    } else if (ComponentCall.isBeyondHelp(why.code())) {
      end(call, call.problem(under, why), call.report(under, why));
      return;
    }
    boolean passing = call.mayPass(why.code());
    if (!fenced
        && !call.isFirstLostConnection(why.code())
        && (!passing || spentMillis >= call.patienceMillis(why.code()))) {
      ComponentFailure report = call.report(under, why);
      boolean mayAsk = renewal.doubt(report, call.problem(under, why));
      report(report);
      ask(mayAsk);
    }
    boolean hope = renewal.isAsking() || (passing || renewal.mayHelp()) && inTime;
    if (hope) {
      effects.add(new WriteEffect.TryLater(call, delayNanos));
    } else {
      end(call, renewal.ending(call.problem(under, why)), call.report(under, why));
    }
  }

  /** A component has failed for good. */
  private void end(ComponentCall call, WeftException ending, ComponentFailure report) {
    fail(ending);
    report(report);
    end(call);
  }

  private void report(ComponentFailure report) {
    if (renewal.isNews(report)) {
      effects.add(new WriteEffect.Report(report));
    }
  }

  private void completed(OpenOrder order) {
    int truncationNumber = order.order().truncationNumber(terms.grant());
    if (truncationNumber > terms.grant().truncationNumber()) {
      truncated(truncationNumber, order.order().eofBytes());
    }
    orders.complete(order);
    close(order, null);
  }

  /** The order ends once, with that failure; without one it is complete. */
  private void close(OpenOrder order, Throwable thrown) {
    orders.remove(order);
    if (order.isClosed()) {
      return;
    }
    order.close();
    effects.release(order);
    if ((thrown == null || order.refusal() != null) && words.hasNews()) {
      // Components hear soon what is complete, unless something is sent to them before.
      effects.add(WriteEffect.Watch.INSTANCE);
    }
    effects.add(new WriteEffect.Finish(order.done(), thrown));
    effects.finish(orders.mark().takePassed());
    if (order.undoes() != null) {
      undone(order.undoes());
    }
  }

  /**
   * A component has no room for the order, which may fail alone. Nothing more of it is sent. It is
   * undone wherever it was sent to, ahead of whatever follows.
   *
   * @param reason what the order fails with
   */
  private void undo(OpenOrder order, WeftException reason) {
    if (order.refusal() != null || !orders.isOpen(order)) {
      return;
    }
    order.refuse(reason);
    // Also where it only brought the length.
    List<Integer> asked = order.targets().stream().boxed().toList();
    ComponentOrder abort =
        own.abort(asked, terms.grant().number(), order.firstSeq(), order.order().seqCount());
    submit(new OpenOrder(abort, order));
  }

  /** The order is on no component any more, unless its end has come otherwise. */
  private void undone(OpenOrder order) {
    if (!orders.isOpen(order)) {
      return;
    }
    WeftException reason = order.isUnsure(false) ? order.unsure() : order.wasUndone();
    orders.undone(order);
    // They keep the id, so that it does not come back, until they hear that it is complete.
    order.targets().stream().forEach(each -> words.acknowledged(each, order.lastSeq(), 0));
    if (order.isLengthUnsure(false, orders.eofBytes())) {
      reason = order.unsureOfLength();
      fail(reason);
    }
    close(order, reason);
  }

  /** Ends the writing: nothing more is sent, and every open order fails. */
  void fail(WeftException problem) {
    if (failure == null) {
      failure = problem;
      effects.drop(orders.end());
      effects.finish(orders.mark().takePassed());
    }
    // None is left but after a failure that an error has interrupted.
    orders.all().forEach(order -> close(order, failure));
  }

  /**
   * The grant has ended on a component: is there another?
   *
   * @return false if those are not the terms in force, or the manager cannot be asked
   */
  boolean renew(WriteTerms under, WeftException why) {
    boolean isAsked = failure == null && terms == under && renewal.mayHelp();
    ask(isAsked && renewal.renew(why));
    return isAsked;
  }

  private void ask(boolean now) {
    if (!now) {
      return;
    }
    try {
      List<ComponentFailure> lost = renewal.question();
      if (lost == null || failure != null) {
        effects.finish(renewal.settled());
      } else {
        effects.add(new WriteEffect.Ask(terms, lost, complete().seq()));
      }
    } catch (RuntimeException | Error e) {
      unasked(e);
    }
  }

  /** A pause between two questions is over. */
  void askAgain() {
    ask(renewal.isPauseOver());
  }

  /** The manager cannot be asked, because something is broken here. */
  void unasked(Throwable why) {
    fail(WeftException.of(why));
    effects.finish(renewal.settled());
  }

  /** The manager has granted nothing. */
  void refused(WeftException why) {
    long pauseNanos;
    try {
      GrantRenewal.Refused refused = renewal.refused(why);
      pauseNanos = refused.pauseNanos();
      if (refused.ending() != null) {
        fail(refused.ending());
      }
    } finally {
      effects.finish(renewal.settled());
    }
    if (pauseNanos > 0) {
      effects.add(new WriteEffect.AskLater(pauseNanos));
    }
  }

  /** The manager has granted other terms, which it may not have been asked for. */
  void granted(WriteTerms next) {
    try {
      renewal.granted();
      if (failure == null) {
        adopt(next);
      }
    } finally {
      effects.finish(renewal.settled());
    }
  }

  /**
   * What is not complete is given again with the same values. The old grant is fenced on every
   * component, so that none of its writes arrives late or stays pending. A component that gets a
   * write hears of the new grant by it. A separate word might overtake a write that cuts the file,
   * and tell of the cut before it is made.
   */
  private void adopt(WriteTerms next) {
    // Of cuts this writer decides, or hears with the range that it asks for: components before it.
    int truncationNumber = terms.grant().truncationNumber();
    terms = new WriteTerms(next.file(), next.grant().withTruncationNumber(truncationNumber));
    CompletionTracker before = orders.mark();
    effects.drop(orders.renew());
    words.renewed();
    effects.finish(before.takePassed());
    WeftException over = FileComponents.tooManyMissing(next.file());
    List<OpenOrder> ended =
        orders.all().stream()
            .filter(order -> order.refusal() != null || !order.order().fits(terms, true))
            .toList();
    for (OpenOrder order : ended) {
      over = order.isLengthUnsure(true, orders.eofBytes()) ? order.unsureOfLength() : over;
    }
    List<OpenOrder> done = new ArrayList<>();
    List<ComponentCall> calls = orders.giveAgain(terms, ended, done);
    // No component is left that they concern.
    done.forEach(this::completed);
    if (over != null) {
      fail(over);
    }
    for (OpenOrder order : ended) {
      // It does not fit the new terms, or it was being undone.
      close(order, order.refusal() == null ? new TermsReplaced() : order.unsure());
    }
    List<Integer> unaware = orders.unaware();
    calls.forEach(this::attempt);
    if (over == null) {
      submit(new OpenOrder(own.announcement(unaware)));
    }
  }

  /** What components can be told of completion now; null once nothing is sent any more. */
  private UnnotifiedComponents.Point point() {
    return failure == null
        ? new UnnotifiedComponents.Point(
            terms, orders.mark().completeUpTo(), orders.eofBytes(), orders.isIdle(), orders.count())
        : null;
  }
}
