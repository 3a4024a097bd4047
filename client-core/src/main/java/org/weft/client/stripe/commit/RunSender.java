package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.RpcException;

/**
 * Carries the writes of one file to its components under its write grant, and keeps account of what
 * is complete: everything that changes the bytes of a file goes through one of these, streams and
 * positional writes alike. Thread-safe.
 *
 * <p>Each order gets its sequence numbers here, and is complete when every component that the map
 * calls present has acknowledged it. Until then its values are kept: when components are lost and
 * the manager grants terms without them, all incomplete orders are given again under the new grant,
 * with the same values and numbers from 1 (P 5.8), each component hearing of them in their order;
 * those that do not fit the new terms end with {@link TermsReplaced}. Two orders for the same bytes
 * must not be incomplete at the same time: the OSDs would answer BUSY until the first is (P 5.4).
 *
 * <p>A component that has no room for an order that may fail alone does not end the writing: the
 * order is undone on all components, counts as complete then, and fails (P 5.4). Where a manager
 * may have kept it, it must lie within the file: bytes behind the end count as zeros here.
 *
 * <p>Which components a WRITE may create is told by {@link MadeComponents}.
 */
public final class RunSender {
  private final StripeContext context;
  private final Losses losses;
  private final CompletionTeller teller;

  // Guarded by the monitor.
  private WriteTerms terms;
  private int epoch;
  private volatile CompletionMark mark = new CompletionMark();
  private long lastSeq;
  private final Set<OpenOrder> open = new LinkedHashSet<>();
  private final CallQueues queues = new CallQueues();
  private final MadeComponents components;
  private final Undurable undurable = new Undurable();
  private long eofBytes;
  private RpcException failure;
  private long orders;

  /**
   * A sender for a file under its grant.
   *
   * @param completions of all senders of a client
   * @param sizeBytes length of the file before: what must exist by it is not created
   */
  public RunSender(
      StripeContext context,
      CompletionCollector completions,
      WriteTerms terms,
      long sizeBytes,
      Regrants regrants,
      FailureListener listener) {
    this.context = context;
    this.terms = terms;
    this.losses = new Losses(this, regrants, listener);
    this.teller = new CompletionTeller(completions, terms.grant().number(), this::point);
    this.eofBytes = sizeBytes;
    this.components = new MadeComponents(terms.file().layout(), sizeBytes);
    this.failure = FileComponents.tooManyMissing(terms.file());
    // What was written under earlier grants may wait for a checkpoint still.
    components.known().stream().forEach(undurable::acknowledged);
  }

  StripeContext context() {
    return context;
  }

  Losses losses() {
    return losses;
  }

  public Undurable undurable() {
    return undurable;
  }

  /** Where and under what the file is written now. */
  public synchronized WriteTerms terms() {
    return terms;
  }

  /** Up to here every write of the grant now in force is complete on all components. */
  public synchronized CompletePoint complete() {
    return orders == 0
        ? CompletePoint.NONE
        : new CompletePoint(terms.grant().number(), mark.completeUpTo());
  }

  /**
   * Completes when everything that is complete by now counts as complete with all before it: the
   * next write of the same blocks then brings word of it along, and is not put off by the OSDs.
   * Completes as well when the terms are replaced, and when nothing is sent any more.
   */
  public CompletableFuture<Void> covered() {
    return mark.passed();
  }

  /** The last sequence number that was given out under the grant now in force. */
  synchronized long lastSeq() {
    return lastSeq;
  }

  public synchronized boolean hasFailed() {
    return failure != null;
  }

  /** Why nothing more is sent; null while it is. */
  public synchronized RpcException failure() {
    return failure;
  }

  synchronized boolean isCurrent(int ofEpoch) {
    return failure == null && epoch == ofEpoch;
  }

  /**
   * The file was cut under this grant: writes carry the new number from now on (P 4.3).
   *
   * @param sizeBytes length of the file now
   */
  public synchronized void truncated(int truncationNumber, long sizeBytes) {
    terms = new WriteTerms(terms.file(), terms.grant().withTruncationNumber(truncationNumber));
    eofBytes = sizeBytes;
  }

  /**
   * Others have made the file that long: what must exist by that is not created, as what was there
   * before (P 4.2).
   */
  public synchronized void grown(long atLeastBytes) {
    if (atLeastBytes > eofBytes) {
      eofBytes = atLeastBytes;
      components.grown(atLeastBytes);
    }
  }

  /**
   * Sends a write, whose reference goes over to the sender. Completes when it is complete on every
   * component that the map calls present; fails with what ended the writing, or, if the write may
   * fail alone, with what undid it: then {@link #failure} stays null.
   */
  public CompletableFuture<Void> send(StripeWrite write) {
    return submit(new WriteOrder(context, write, undurable));
  }

  /** Completes when everything that was complete before this call is on stable storage. */
  public CompletableFuture<Void> makeDurable() {
    return submit(new FlushOrder(context, undurable));
  }

  /** Has the order carried out by its components; as {@link #send}. */
  public CompletableFuture<Void> submit(ComponentOrder order) {
    return submit(new OpenOrder(order));
  }

  private CompletableFuture<Void> submit(OpenOrder opened) {
    List<ComponentCall> calls = List.of();
    Throwable refused;
    boolean empty = false;
    synchronized (this) {
      refused = failure;
      if (refused == null && !opened.order().fits(terms, false)) {
        refused = new TermsReplaced();
      }
      if (refused == null) {
        List<ComponentCall> all = assign(opened);
        empty = all.isEmpty();
        if (empty) {
          passed(opened);
        } else {
          open.add(opened);
          orders++;
        }
        calls = queues.admit(all);
      }
    }
    if (refused != null) {
      opened.order().release();
      opened.done().completeExceptionally(refused);
    } else if (empty) {
      completed(opened);
    }
    calls.forEach(ComponentCall::start);
    return opened.done();
  }

  /** Numbers the order under the terms now in force. Under the monitor. */
  private List<ComponentCall> assign(OpenOrder opened) {
    ComponentOrder order = opened.order();
    StorageMap map = terms.file().map();
    List<Integer> present =
        order.participants().stream().filter(index -> !map.isMissing(index)).toList();
    BitSet targets = components.notAsked(map, order.eofBytes());
    present.forEach(targets::set);
    components.ask(targets);
    opened.assign(order.seqCount() == 0 ? 0 : lastSeq + 1, present, targets);
    lastSeq += order.seqCount();
    return callsTo(opened, targets);
  }

  private List<ComponentCall> callsTo(OpenOrder opened, BitSet targets) {
    int now = epoch;
    return targets.stream().mapToObj(index -> new ComponentCall(this, opened, now, index)).toList();
  }

  /** What a call is to send now; null if it is not to send anything any more. */
  synchronized ComponentOrder.Try tryOf(OpenOrder order, int ofEpoch, int component) {
    if (failure != null || epoch != ofEpoch || !order.isLeft(component)) {
      return null;
    }
    return new ComponentOrder.Try(
        terms,
        component,
        !components.isMade(component),
        order.present(),
        order.firstSeq(),
        mark.completeUpTo(),
        context.options().writeAttemptMillis());
  }

  /** A call is over, well or not: who waits for it at its component comes next. */
  void ended(ComponentCall call, int ofEpoch) {
    ComponentCall next;
    synchronized (this) {
      next = epoch == ofEpoch ? queues.ended(call) : null;
    }
    if (next != null) {
      next.start();
    }
  }

  /**
   * A component has done what it was asked for, under those terms or earlier ones.
   *
   * @param toldUpTo what it has heard of completion with that
   */
  void acknowledged(OpenOrder order, int ofEpoch, int component, long toldUpTo) {
    losses.answered(component);
    boolean complete = false;
    List<ComponentCall> calls = List.of();
    synchronized (this) {
      components.acknowledged(component, epoch == ofEpoch);
      order.order().acknowledged(component);
      if (epoch != ofEpoch || !open.contains(order)) {
        return;
      }
      if (order.order().seqCount() > 0) {
        teller.acknowledged(component, order.lastSeq(), toldUpTo);
      }
      order.acknowledged(component);
      if (order.isComplete()) {
        List<ComponentCall> next = nextPhase(order);
        // A call that waits in its line is not sent now, but the order is not complete without it.
        complete = next.isEmpty();
        calls = queues.admit(next);
      }
      if (complete) {
        open.remove(order);
        passed(order);
      }
    }
    if (complete) {
      completed(order);
    }
    calls.forEach(ComponentCall::start);
  }

  /** Under the monitor. */
  private List<ComponentCall> nextPhase(OpenOrder order) {
    BitSet followers = new BitSet();
    order.order().nextPhase().stream()
        .filter(index -> !terms.file().map().isMissing(index))
        .forEach(followers::set);
    order.follow(followers);
    if (followers.isEmpty()) {
      // Who was to make them may be undone, and nobody else comes after this order.
      followers = components.notCertain(terms.file().map(), order.order().eofBytes());
      followers.andNot(order.targets());
      components.ask(followers);
      order.make(followers);
    }
    return callsTo(order, followers);
  }

  /** All present components have acknowledged the order, if there are any. Under the monitor. */
  private void passed(OpenOrder order) {
    int truncationNumber = order.order().truncationNumber(terms.grant());
    if (truncationNumber > terms.grant().truncationNumber()) {
      truncated(truncationNumber, order.order().eofBytes());
    }
    eofBytes = Math.max(eofBytes, order.order().eofBytes());
    components.completed(order.order().eofBytes());
    if (order.order().seqCount() > 0) {
      mark.complete(order.firstSeq(), order.lastSeq());
    }
  }

  private void completed(OpenOrder order) {
    order.order().release();
    teller.watch();
    order.done().complete(null);
    mark.tell();
  }

  /**
   * A component has no room for the order, which may fail alone: nothing more of it is sent, and it
   * is undone wherever it was sent to, ahead of whatever follows.
   *
   * @param reason what the order fails with
   */
  void undo(OpenOrder order, int ofEpoch, RpcException reason) {
    AbortOrder abort;
    synchronized (this) {
      if (failure != null || epoch != ofEpoch || order.refusal() != null || !open.contains(order)) {
        return;
      }
      order.refuse(reason);
      // Also where it only brought the length.
      List<Integer> asked = order.targets().stream().boxed().toList();
      long grant = terms.grant().number();
      abort = new AbortOrder(context, asked, grant, order.firstSeq(), order.order().seqCount());
    }
    var unused = submit(abort).whenComplete((nothing, thrown) -> undone(order, ofEpoch));
  }

  /**
   * The order is nowhere any more, or as it was when the terms were replaced; or the manager, or
   * the end of the writing, has decided on it.
   */
  private void undone(OpenOrder order, int ofEpoch) {
    RpcException reason = order.isUnsure(false) ? order.unsure() : order.undone();
    RpcException over = null;
    synchronized (this) {
      if (!open.remove(order)) {
        return;
      }
      if (epoch == ofEpoch) {
        mark.complete(order.firstSeq(), order.lastSeq());
        // They keep the id, so that it does not come back, until they hear that it is complete.
        order.targets().stream()
            .forEach(component -> teller.acknowledged(component, order.lastSeq(), 0));
        components.askOnly(open.stream());
      }
      if (order.isLengthUnsure(false, eofBytes)) {
        over = order.unsureOfLength();
      }
    }
    if (over != null) {
      fail(over);
    }
    order.order().release();
    teller.watch();
    order.done().completeExceptionally(over == null ? reason : over);
    mark.tell();
  }

  /**
   * The manager's new terms: what is not complete is given again with the same values, and the old
   * grant fenced on every component, so that none of its writes arrives late or stays pending. Who
   * gets a write has heard of the new grant: a separate word might overtake a write that cuts the
   * file, and tell of the cut before it is made.
   */
  void adopt(WriteTerms next) {
    List<ComponentCall> calls = new ArrayList<>();
    List<OpenOrder> done = new ArrayList<>();
    List<OpenOrder> ended = new ArrayList<>();
    List<ComponentCall> unbegun;
    CompletionMark before;
    BitSet unaware = new BitSet();
    RpcException over = FileComponents.tooManyMissing(next.file());
    synchronized (this) {
      if (failure != null) {
        return;
      }
      // Of cuts this writer alone decides, and when its components may hear of them.
      int truncationNumber = terms.grant().truncationNumber();
      terms = new WriteTerms(next.file(), next.grant().withTruncationNumber(truncationNumber));
      epoch++;
      before = mark;
      before.end();
      mark = new CompletionMark();
      lastSeq = 0;
      components.renew(eofBytes);
      teller.renewed(terms.grant().number());
      unbegun = queues.clear();
      open.stream()
          .filter(order -> order.refusal() != null || !order.order().fits(terms, true))
          .forEach(ended::add);
      open.removeAll(ended);
      for (OpenOrder order : ended) {
        over = order.isLengthUnsure(true, eofBytes) ? order.unsureOfLength() : over;
      }
      for (OpenOrder order : open) {
        List<ComponentCall> again = assign(order);
        if (again.isEmpty()) {
          // Nobody is left that it concerns.
          passed(order);
          done.add(order);
        }
        calls.addAll(queues.admitInLine(again));
      }
      open.removeAll(done);
      BitSet addressees = new BitSet();
      open.stream()
          .filter(order -> order.order().raisesVersion())
          .forEach(order -> order.addLeftTo(addressees));
      unaware.or(components.known());
      unaware.andNot(addressees);
    }
    unbegun.forEach(ComponentCall::drop);
    before.tell();
    done.forEach(this::completed);
    if (over != null) {
      fail(over);
    }
    for (OpenOrder order : ended) {
      // It does not fit the new terms, or it was being undone.
      order.order().release();
      Throwable reason = order.refusal() == null ? new TermsReplaced() : order.unsure();
      order.done().completeExceptionally(over == null ? reason : over);
    }
    calls.forEach(ComponentCall::start);
    if (over == null) {
      var unused = submit(new Announcement(context, unaware.stream().boxed().toList()));
    }
  }

  /** A component has failed for good. */
  void failed(int ofEpoch, ComponentFailure report, RpcException problem) {
    if (isCurrent(ofEpoch)) {
      fail(problem);
      losses.report(report);
    }
  }

  /** Ends the writing: nothing more is sent, and every open order fails. */
  public void fail(RpcException problem) {
    List<OpenOrder> ended;
    List<ComponentCall> unbegun;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      failure = problem;
      ended = List.copyOf(open);
      open.clear();
      mark.end();
      unbegun = queues.clear();
    }
    unbegun.forEach(ComponentCall::drop);
    mark.tell();
    for (OpenOrder order : ended) {
      order.order().release();
      order.done().completeExceptionally(problem);
    }
  }

  /** The grant has ended on a component: is there another? False if these terms are old ones. */
  public boolean renew(WriteTerms under, RpcException failure) {
    int now;
    synchronized (this) {
      now = terms == under ? epoch : epoch - 1;
    }
    return losses.renew(now, failure);
  }

  /** Completes when nothing is asked of the manager: the terms then stay until the next order. */
  public CompletableFuture<Void> quiet() {
    return losses.quiet();
  }

  /** Tells components what is complete (P 5.4). */
  public CompletionTeller teller() {
    return teller;
  }

  /** What components can be told of completion now; null once nothing is sent any more. */
  private synchronized CompletionTeller.Point point() {
    return failure == null
        ? new CompletionTeller.Point(terms, mark.completeUpTo(), eofBytes, open.isEmpty(), orders)
        : null;
  }
}
