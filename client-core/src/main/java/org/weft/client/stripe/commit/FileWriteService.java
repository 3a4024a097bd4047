package org.weft.client.stripe.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.WeftException;

/**
 * Carries the writes of one file to its components under its write grant, and keeps account of what
 * is complete. Everything that changes the bytes of a file goes through one of these, streams and
 * positional writes alike. Thread-safe.
 *
 * <p>{@link FileWriteMachine} decides. This class tells it what has happened, and holds its only
 * lock for that. Then it does what the machine wants, and holds no lock for that. It sends requests
 * to OSDs, asks the manager, starts timers and completes futures. Effects of two events that two
 * threads bring at the same time may be done in any order. No rule depends on it, because the
 * machine waits for answers where order counts. A request that the machine wanted before a failure
 * may go out after it: it is one that could have been on its way already.
 *
 * <p>What is durable when: an order's future completes after every component that the map calls
 * present has acknowledged it. {@link #makeDurable} completes when all of that is on stable
 * storage.
 */
public final class FileWriteService implements CompletionSource {
  private final StripeContext context;
  private final CompletionNotifier completions;
  private final Regrants regrants;
  private final FailureListener listener;

  // Guarded by the monitor.
  private final FileWriteMachine machine;

  /**
   * A service for a file under its grant.
   *
   * @param completions of all files of a client
   * @param sizeBytes length of the file before: what must exist by it is not created
   */
  public FileWriteService(
      StripeContext context,
      CompletionNotifier completions,
      WriteTerms terms,
      long sizeBytes,
      Regrants regrants,
      FailureListener listener) {
    this.context = context;
    this.completions = completions;
    this.regrants = regrants;
    this.listener = listener;
    this.machine =
        new FileWriteMachine(
            context.options(),
            context.ticker(),
            context.random(),
            new OwnOrders(context),
            terms,
            sizeBytes,
            regrants != Regrants.NONE);
  }

  private synchronized List<WriteEffect> decide(WriteEvent event) {
    return machine.on(event);
  }

  private synchronized <T> T query(Function<FileWriteMachine, T> question) {
    return question.apply(machine);
  }

  /** What cannot be done ends the writing; the rest is done all the same. */
  private void on(WriteEvent event) {
    Throwable unheard = null;
    for (WriteEffect effect : decide(event)) {
      try {
        effect.perform(this);
      } catch (RuntimeException | Error e) {
        try {
          on(told -> effect.fail(told, e));
        } catch (RuntimeException | Error again) {
          unheard = again;
        }
      }
    }
    if (unheard != null) {
      throw new IllegalStateException("the end of a writing could not be told", unheard);
    }
  }

  /** Where and under what the file is written now. */
  public WriteTerms terms() {
    return query(FileWriteMachine::terms);
  }

  /** Up to here every write of the grant now in force is complete on all components. */
  public CompletePoint complete() {
    return query(FileWriteMachine::complete);
  }

  /**
   * Completes when everything that is complete by now counts as complete with all before it. The
   * next write of the same blocks then brings word of it along, and OSDs do not put that write off.
   * Completes as well when the terms are replaced, and when nothing is sent any more.
   */
  public CompletableFuture<Void> covered() {
    return query(asked -> asked.orders().mark().passed());
  }

  public boolean hasFailed() {
    return failure() != null;
  }

  /** Why nothing more is sent; null while it is. */
  public WeftException failure() {
    return query(FileWriteMachine::failure);
  }

  /** True while a component, or the grant itself, is in doubt: the terms may change. */
  boolean isInDoubt() {
    return query(asked -> asked.renewal().isInDoubt());
  }

  /** Completes when nothing is asked of the manager: the terms then stay until the next order. */
  public CompletableFuture<Void> quiet() {
    return query(asked -> asked.renewal().quiet());
  }

  /**
   * The file was cut under this grant: writes carry the new number from now on (P 4.3).
   *
   * @param sizeBytes length of the file now
   */
  public void truncated(int truncationNumber, long sizeBytes) {
    on(told -> told.truncated(truncationNumber, sizeBytes));
  }

  /** The manager has given other terms by itself, while nothing was under way. */
  public void goOnUnder(WriteTerms next) {
    on(told -> told.granted(next));
  }

  /**
   * Another writer has cut the file, and all components are cut: writes carry the new number from
   * now on (P 6.5.78). None of this one is under way.
   *
   * @param sizeBytes length of the file now
   */
  public void cutByOther(int truncationNumber, long sizeBytes) {
    on(
        told -> {
          told.truncated(truncationNumber, sizeBytes);
          told.orders().components().cutByOther(sizeBytes);
        });
  }

  /**
   * Others have made the file that long: what must exist by that is not created, as what was there
   * before (P 4.2).
   */
  public void grown(long atLeastBytes) {
    on(told -> told.orders().grown(atLeastBytes));
  }

  /**
   * Sends a write, whose reference goes over to the service. Completes when it is complete on every
   * component that the map calls present. Fails with what ended the writing. If the write may fail
   * alone, it fails with what undid it, and {@link #failure} stays null.
   */
  public CompletableFuture<Void> send(StripeWrite write) {
    return submit(new WriteOrder(context, write));
  }

  /** Completes when everything that was complete before this call is on stable storage. */
  public CompletableFuture<Void> makeDurable() {
    return submit(query(asked -> new FlushOrder(context, asked.undurable())));
  }

  /** Has the order carried out by its components; as {@link #send}. */
  public CompletableFuture<Void> submit(ComponentOrder order) {
    OpenOrder opened = new OpenOrder(order);
    on(told -> told.submit(opened));
    return opened.done();
  }

  /** Ends the writing: nothing more is sent, and every open order fails. */
  public void fail(WeftException problem) {
    on(told -> told.fail(problem));
  }

  /**
   * The grant has ended on a component: is there another?
   *
   * @param under the terms that it has ended of
   * @return false if these are not in force any more, or the manager cannot be asked
   */
  public boolean renew(WriteTerms under, WeftException why) {
    boolean[] asked = new boolean[1];
    on(told -> asked[0] = told.renew(under, why));
    return asked[0];
  }

  void send(ComponentCall call, ComponentOrder.Try attempt) {
    CompletableFuture<?> answer;
    try {
      answer = call.order().order().attempt(attempt);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var unused = answer.whenComplete((reply, thrown) -> answered(call, attempt, thrown));
  }

  private void answered(ComponentCall call, ComponentOrder.Try made, Throwable thrown) {
    try {
      if (thrown == null) {
        context.suspects().answered(made.terms().file().map().osdOf(call.component()));
      }
    } finally {
      on(told -> told.answered(call, made, thrown));
    }
  }

  void after(long delayNanos, WriteEvent event) {
    context.pause(delayNanos, () -> on(event), this::fail);
  }

  void report(ComponentFailure failure) {
    listener.failed(failure);
  }

  void ask(WriteTerms under, List<ComponentFailure> lost, long completeUpTo) {
    var unused =
        regrants
            .regrant(under, lost, completeUpTo)
            .whenComplete(
                (terms, thrown) -> {
                  if (thrown == null) {
                    on(GrantAnswer.granted(under, terms));
                  } else {
                    on(GrantAnswer.refused(under, WeftException.of(thrown)));
                  }
                });
  }

  void watch() {
    completions.watch(this);
  }

  @Override
  public boolean addNews(List<CompletionNotice> news) {
    return query(asked -> asked.words().addNews(this, news));
  }

  @Override
  public boolean hasNews() {
    return query(asked -> asked.words().hasNews());
  }

  @Override
  public boolean stands(CompletionNotice said) {
    return query(asked -> asked.words().stands(said));
  }

  @Override
  public void heard(CompletionNotice said) {
    watchIf(query(asked -> asked.words().heard(said, said.upTo())));
  }

  @Override
  public void unheard(CompletionNotice said) {
    watchIf(query(asked -> asked.words().heard(said, Long.MAX_VALUE)));
  }

  @Override
  public void unsaid(CompletionNotice said) {
    watchIf(query(asked -> asked.words().unsaid(said)));
  }

  private void watchIf(boolean isMore) {
    if (isMore) {
      watch();
    }
  }

  @Override
  public void tellCompletion() {
    completions.tell(query(asked -> asked.words().all(this)));
  }

  /**
   * At the end of the writing. Components hear in the next round, together with those of other
   * files; where one is lost they hear at once.
   */
  public void tellCompletionAtClose() {
    if (query(asked -> asked.words().isUrgentAtClose())) {
      tellCompletion();
    }
  }
}
