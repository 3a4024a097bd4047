package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.osd.OsdTarget;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;

/**
 * Carries the writes of one file to its components under its write grant, and keeps account of what
 * is complete: everything that changes the bytes of a file goes through one of these, streams and
 * positional writes alike. Thread-safe.
 *
 * <p>Each order gets its sequence numbers here, and is complete when every component that the map
 * calls present has acknowledged it. Until then its values are kept: when components are lost and
 * the manager grants terms without them, all incomplete orders are given again under the new grant,
 * with the same values and numbers from 1 (P 5.8). Two orders for the same bytes must not be
 * incomplete at the same time: the OSDs would answer BUSY until the first is (P 5.4).
 *
 * <p>A WRITE carries the right to create its component until the component has acknowledged one:
 * orders overtake each other on the way. The first order that establishes a length within a parity
 * group goes to every component of it, empty where there is nothing to store, so that from then on
 * an absent object is a lost one; what must exist by the length that the file had is never created
 * (P 4.2).
 */
final class RunSender {
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often a component is told in vain what is complete. */
  private static final int MOST_UNTOLD_TRIES = 100;

  private final StripeEngine engine;
  private final Losses losses;

  // Guarded by the monitor.
  private WriteTerms terms;
  private int epoch;
  private CompletionMark mark = new CompletionMark();
  private long lastSeq;
  private final Set<OpenOrder> open = new LinkedHashSet<>();
  private BitSet addressed;
  private final BitSet created;
  private final Undurable undurable = new Undurable();
  private long eofBytes;
  private final BitSet untold = new BitSet();
  private RpcException failure;
  private boolean idleAwaited;
  private final SortedMap<Integer, Integer> untoldTries = new TreeMap<>();
  private boolean active;

  /**
   * A sender for a file under its grant.
   *
   * @param sizeBytes length of the file before: what must exist by it is not created
   */
  RunSender(
      StripeEngine engine,
      WriteTerms terms,
      long sizeBytes,
      Regrants regrants,
      FailureListener listener) {
    this.engine = engine;
    this.terms = terms;
    this.losses = new Losses(this, regrants, listener);
    this.eofBytes = sizeBytes;
    this.created = existing(terms.file().layout(), sizeBytes);
    this.addressed = (BitSet) created.clone();
    this.failure = tooManyMissing(terms.file());
    // What was written under earlier grants may wait for a checkpoint still.
    created.stream().forEach(undurable::acknowledged);
  }

  /** Components that a file of that length has (P 4.2). */
  private static BitSet existing(Layout layout, long sizeBytes) {
    BitSet existing = new BitSet();
    if (sizeBytes > 0 && layout.isSmall(sizeBytes)) {
      existing.set(0, layout.parityUnits() + 1);
    } else if (sizeBytes > 0) {
      existing.set(0, groupsWithin(layout, sizeBytes) * layout.width());
    }
    return existing;
  }

  /** Parity groups that a file of that length has entered; 0 for a small one. */
  private static int groupsWithin(Layout layout, long sizeBytes) {
    if (layout.isSmall(sizeBytes)) {
      return 0;
    }
    long rounds = layout.stripeOf(sizeBytes - 1) / layout.groupDepth() + 1;
    return (int) Math.min(layout.groups(), rounds);
  }

  private static RpcException tooManyMissing(StripedFile file) {
    Layout layout = file.layout();
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      List<Integer> missing = new ArrayList<>(file.map().missing());
      missing.removeIf(index -> index < first || index >= first + layout.width());
      if (missing.size() > layout.parityUnits()) {
        return new RpcException(
            ErrorCode.TOO_MANY_LOST,
            "cannot write %s: components %s are missing and its code bears the loss of %d; write a new file"
                .formatted(file.name(), missing, layout.parityUnits()));
      }
    }
    return null;
  }

  StripeEngine engine() {
    return engine;
  }

  Losses losses() {
    return losses;
  }

  /** Where and under what the file is written now. */
  synchronized WriteTerms terms() {
    return terms;
  }

  /** Every write of the grant now in force up to here is complete on all components. */
  synchronized CompletePoint complete() {
    return new CompletePoint(terms.grant().number(), mark.completeUpTo());
  }

  /** The last sequence number that was given out under the grant now in force. */
  synchronized long lastSeq() {
    return lastSeq;
  }

  synchronized boolean hasFailed() {
    return failure != null;
  }

  /** Why nothing more is sent; null while it is. */
  synchronized RpcException failure() {
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
  synchronized void truncated(int truncationNumber, long sizeBytes) {
    terms = new WriteTerms(terms.file(), terms.grant().withTruncationNumber(truncationNumber));
    eofBytes = sizeBytes;
  }

  /**
   * Sends a write, whose reference goes over to the sender. Completes when it is complete on every
   * component that the map calls present; fails with what ended the writing.
   */
  CompletableFuture<Void> send(StripeWrite write) {
    return submit(new WriteOrder(engine, write, undurable));
  }

  /** Completes when everything that was complete before this call is on stable storage. */
  CompletableFuture<Void> makeDurable() {
    return submit(new FlushOrder(engine, undurable));
  }

  /** Has the order carried out by its components; as {@link #send}. */
  CompletableFuture<Void> submit(ComponentOrder order) {
    OpenOrder opened = new OpenOrder(order);
    List<ComponentCall> calls;
    RpcException failed;
    synchronized (this) {
      failed = failure;
      calls = failed == null ? assign(opened) : List.of();
      if (!calls.isEmpty()) {
        open.add(opened);
        active = true;
      } else if (failed == null) {
        passed(opened);
      }
    }
    if (failed != null) {
      order.release();
      opened.done().completeExceptionally(failed);
    } else if (calls.isEmpty()) {
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
    BitSet targets = new BitSet();
    present.forEach(targets::set);
    int end = groupsWithin(map.layout(), order.eofBytes()) * map.layout().width();
    for (int index = addressed.nextClearBit(0); index < end; index++) {
      if (!addressed.get(index) && !map.isMissing(index)) {
        targets.set(index);
      }
    }
    addressed.or(targets);
    opened.assign(order.seqCount() == 0 ? 0 : lastSeq + 1, present, targets);
    lastSeq += order.seqCount();
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
        !created.get(component),
        order.present(),
        order.firstSeq(),
        mark.completeUpTo(),
        engine.options().writeAttemptMillis());
  }

  /** A component has done what it was asked for, under those terms or earlier ones. */
  void acknowledged(OpenOrder order, int ofEpoch, int component) {
    losses.answered(component);
    boolean complete;
    synchronized (this) {
      created.set(component);
      order.order().acknowledged(component);
      if (epoch != ofEpoch || !open.contains(order)) {
        return;
      }
      if (order.order().seqCount() > 0) {
        untold.set(component);
      }
      order.acknowledged(component);
      complete = order.isComplete();
      if (complete) {
        open.remove(order);
        passed(order);
      }
    }
    if (complete) {
      completed(order);
    }
  }

  /** All present components have acknowledged the order, if there are any. Under the monitor. */
  private void passed(OpenOrder order) {
    int truncationNumber = order.order().truncationNumber(terms.grant());
    if (truncationNumber > terms.grant().truncationNumber()) {
      truncated(truncationNumber, order.order().eofBytes());
    }
    eofBytes = Math.max(eofBytes, order.order().eofBytes());
    if (order.order().seqCount() > 0) {
      mark.complete(order.firstSeq(), order.lastSeq());
    }
  }

  private void completed(OpenOrder order) {
    order.order().release();
    awaitIdle();
    order.done().complete(null);
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
    BitSet unaware = new BitSet();
    RpcException tooMany = tooManyMissing(next.file());
    synchronized (this) {
      if (failure != null) {
        return;
      }
      // Of cuts this writer alone decides, and when its components may hear of them.
      int truncationNumber = terms.grant().truncationNumber();
      terms = new WriteTerms(next.file(), next.grant().withTruncationNumber(truncationNumber));
      epoch++;
      mark = new CompletionMark();
      lastSeq = 0;
      addressed = (BitSet) created.clone();
      untold.clear();
      for (OpenOrder order : open) {
        List<ComponentCall> again = assign(order);
        if (again.isEmpty()) {
          // Nobody is left that it concerns.
          passed(order);
          done.add(order);
        }
        calls.addAll(again);
      }
      open.removeAll(done);
      BitSet addressees = new BitSet();
      open.stream()
          .filter(order -> order.order().raisesVersion())
          .forEach(order -> order.addLeftTo(addressees));
      unaware.or(created);
      unaware.andNot(addressees);
    }
    done.forEach(this::completed);
    if (tooMany != null) {
      fail(tooMany);
      return;
    }
    calls.forEach(ComponentCall::start);
    var unused = submit(new Announcement(engine, unaware.stream().boxed().toList()));
  }

  /** A component has failed for good. */
  void failed(int ofEpoch, ComponentFailure report, RpcException problem) {
    if (isCurrent(ofEpoch)) {
      fail(problem);
      losses.report(report);
    }
  }

  /** Ends the writing: nothing more is sent, and every open order fails. */
  void fail(RpcException problem) {
    List<OpenOrder> ended;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      failure = problem;
      ended = List.copyOf(open);
      open.clear();
    }
    for (OpenOrder order : ended) {
      order.order().release();
      order.done().completeExceptionally(problem);
    }
  }

  /** Completes when nothing is asked of the manager: the terms then stay until the next order. */
  CompletableFuture<Void> quiet() {
    return losses.quiet();
  }

  /** Tells components soon what is complete, unless there is something to send before (P 5.4). */
  private void awaitIdle() {
    synchronized (this) {
      if (idleAwaited || failure != null || untold.isEmpty()) {
        return;
      }
      idleAwaited = true;
      active = false;
    }
    engine.after(IDLE_NANOS, this::idle);
  }

  private void idle() {
    boolean isIdle;
    synchronized (this) {
      idleAwaited = false;
      isIdle = !active && open.isEmpty();
    }
    if (isIdle) {
      tellCompletion(0);
    } else {
      awaitIdle();
    }
  }

  /**
   * Tells components that have not heard of it that everything is complete; does not wait, but says
   * it again to those that do not answer (P 5.4).
   *
   * @param fromComponent those with a smaller index hear it from somebody else
   */
  void tellCompletion(int fromComponent) {
    WriteTerms now;
    long completeUpTo;
    long eof;
    int[] components;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      now = terms;
      eof = eofBytes;
      completeUpTo = mark.completeUpTo();
      untold.clear(0, fromComponent);
      components = untold.stream().filter(index -> !now.file().map().isMissing(index)).toArray();
      untold.clear();
    }
    for (int component : components) {
      tell(now, component, completeUpTo, eof);
    }
  }

  private void tell(WriteTerms under, int component, long completeUpTo, long eof) {
    OsdTarget target = under.file().target(component, engine.options().writeAttemptMillis());
    var unused =
        engine
            .osds()
            .write(target, WriteOrder.request(under, completeUpTo).setEof(eof), Payload.EMPTY)
            .whenComplete((reply, thrown) -> told(under, component, thrown));
  }

  private void told(WriteTerms under, int component, Throwable thrown) {
    synchronized (this) {
      if (thrown == null) {
        untoldTries.remove(component);
        return;
      }
      boolean again =
          terms == under
              && ComponentCall.mayPass(RpcException.of(thrown).code())
              && untoldTries.merge(component, 1, Integer::sum) < MOST_UNTOLD_TRIES;
      if (!again) {
        return;
      }
      untold.set(component);
    }
    awaitIdle();
  }
}
