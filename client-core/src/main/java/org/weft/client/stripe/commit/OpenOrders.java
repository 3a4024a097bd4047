package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.layout.StorageMap;

/**
 * The account of one file's writes: which orders are open, with which sequence numbers, what is
 * complete by them, and which components exist. Part of a {@link FileWriteMachine}:
 * single-threaded, without IO.
 */
final class OpenOrders {
  private final StripeOptions options;
  private final RandomGenerator random;
  private final Set<OpenOrder> open = new LinkedHashSet<>();
  private final CallQueues queues = new CallQueues();
  private final ComponentExistence components;
  private CompletionTracker mark = new CompletionTracker();
  private long lastSeq;
  private long eofBytes;
  private long count;
  private int epoch;

  /**
   * Of a file without open orders.
   *
   * @param sizeBytes length of the file before: what must exist by it is not created
   */
  OpenOrders(
      StripeOptions options, RandomGenerator random, ComponentExistence made, long sizeBytes) {
    this.options = options;
    this.random = random;
    this.components = made;
    this.eofBytes = sizeBytes;
  }

  /** How often the terms have been replaced. */
  int epoch() {
    return epoch;
  }

  CompletionTracker mark() {
    return mark;
  }

  ComponentExistence components() {
    return components;
  }

  /** Length of the file by what is complete. */
  long eofBytes() {
    return eofBytes;
  }

  /** How many orders there have been. */
  long count() {
    return count;
  }

  boolean isIdle() {
    return open.isEmpty();
  }

  boolean isOpen(OpenOrder order) {
    return open.contains(order);
  }

  void cut(long sizeBytes) {
    eofBytes = sizeBytes;
  }

  void grown(long atLeastBytes) {
    if (atLeastBytes > eofBytes) {
      eofBytes = atLeastBytes;
      components.grown(atLeastBytes);
    }
  }

  /**
   * Numbers an order under the terms now in force.
   *
   * @return its calls; if there are none no component is left that it concerns, and it is not open
   */
  List<ComponentCall> give(OpenOrder opened, WriteTerms terms) {
    List<ComponentCall> calls = assign(opened, terms);
    if (!calls.isEmpty()) {
      open.add(opened);
      count++;
    }
    return calls;
  }

  private List<ComponentCall> assign(OpenOrder opened, WriteTerms terms) {
    ComponentOrder order = opened.order();
    StorageMap map = terms.file().map();
    List<Integer> present = new ArrayList<>();
    BitSet targets = components.notAsked(map, order.eofBytes());
    for (int index : order.participants()) {
      if (!map.isMissing(index)) {
        present.add(index);
        targets.set(index);
      }
    }
    components.ask(targets);
    opened.assign(order.seqCount() == 0 ? 0 : lastSeq + 1, List.copyOf(present), targets);
    lastSeq += order.seqCount();
    return callsTo(opened, targets);
  }

  private List<ComponentCall> callsTo(OpenOrder opened, BitSet targets) {
    List<ComponentCall> calls = new ArrayList<>(targets.cardinality());
    for (int index = targets.nextSetBit(0); index >= 0; index = targets.nextSetBit(index + 1)) {
      calls.add(new ComponentCall(opened, epoch, index, options, random));
    }
    opened.called(calls.size());
    return calls;
  }

  /** Of calls made for the first time, those that may begin. */
  List<ComponentCall> admit(List<ComponentCall> calls) {
    return queues.admit(calls);
  }

  /** A call is over: the one that may begin now, or null. */
  ComponentCall next(ComponentCall ended) {
    return epoch == ended.epoch() ? queues.ended(ended) : null;
  }

  /** All components have acknowledged what they were asked for: calls to those that follow. */
  List<ComponentCall> nextPhase(OpenOrder order, WriteTerms terms) {
    StorageMap map = terms.file().map();
    BitSet followers = new BitSet();
    for (int index : order.order().nextPhase()) {
      followers.set(index, !map.isMissing(index));
    }
    order.follow(followers);
    if (followers.isEmpty()) {
      // The order that was to make them may be undone, and no other comes after this one.
      followers = components.notCertain(map, order.order().eofBytes());
      followers.andNot(order.targets());
      components.ask(followers);
      order.make(followers);
    }
    return callsTo(order, followers);
  }

  /** All present components have acknowledged the order, if there are any: it is complete. */
  void complete(OpenOrder order) {
    eofBytes = Math.max(eofBytes, order.order().eofBytes());
    components.completed(order.order().eofBytes());
    if (order.order().seqCount() > 0) {
      mark.complete(order.firstSeq(), order.lastSeq());
    }
  }

  /** The order is on no component any more. */
  void undone(OpenOrder order) {
    mark.complete(order.firstSeq(), order.lastSeq());
    components.askOnly(open.stream().filter(other -> other != order));
  }

  /**
   * The terms are replaced: numbers begin anew, and no call of before is made any more.
   *
   * @return calls that have not begun
   */
  List<ComponentCall> renew() {
    epoch++;
    mark.end();
    mark = new CompletionTracker();
    lastSeq = 0;
    components.renew(eofBytes);
    return queues.clear();
  }

  /** Those that are open, in the order in which they were given. */
  List<OpenOrder> all() {
    return List.copyOf(open);
  }

  /** The order is closed. */
  void remove(OpenOrder order) {
    open.remove(order);
  }

  /**
   * Gives the open orders again, each with new numbers.
   *
   * @param ended orders that are not given again
   * @param done gets those of which no component is left
   * @return calls that may begin
   */
  List<ComponentCall> giveAgain(WriteTerms terms, List<OpenOrder> ended, List<OpenOrder> done) {
    List<ComponentCall> calls = new ArrayList<>();
    for (OpenOrder order : open) {
      if (ended.contains(order)) {
        continue;
      }
      List<ComponentCall> given = assign(order, terms);
      if (given.isEmpty()) {
        done.add(order);
      }
      calls.addAll(queues.admitInLine(given));
    }
    return calls;
  }

  /** Components that no open order shows the terms now in force. */
  List<Integer> unaware() {
    BitSet unaware = components.known();
    BitSet addressed = new BitSet();
    open.stream()
        .filter(order -> order.order().raisesVersion())
        .forEach(order -> order.addLeftTo(addressed));
    unaware.andNot(addressed);
    return unaware.stream().boxed().toList();
  }

  /** Nothing is sent any more; calls that have not begun. */
  List<ComponentCall> end() {
    mark.end();
    return queues.clear();
  }
}
