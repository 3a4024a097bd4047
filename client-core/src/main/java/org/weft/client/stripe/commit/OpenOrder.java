package org.weft.client.stripe.commit;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.weft.protocol.error.WeftException;

/**
 * An order that not every present component has acknowledged. Part of a {@link FileWriteMachine}:
 * single-threaded.
 */
final class OpenOrder {
  private final ComponentOrder order;
  private final OpenOrder undoes;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private List<Integer> present = List.of();
  private BitSet targets = new BitSet();
  private BitSet left = new BitSet();
  private long firstSeq;
  private int times;
  private WeftException refusal;
  private int calls;
  private boolean closed;

  OpenOrder(ComponentOrder order) {
    this(order, null);
  }

  /**
   * An order that undoes another.
   *
   * @param undoes the other; null if it undoes none
   */
  OpenOrder(ComponentOrder order, OpenOrder undoes) {
    this.order = order;
    this.undoes = undoes;
  }

  ComponentOrder order() {
    return order;
  }

  /** Completes when all present components have acknowledged. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** The order that this one undoes; null if it undoes none. */
  OpenOrder undoes() {
    return undoes;
  }

  /** So many calls keep what is to be sent, each until {@link #callEnded}. */
  void called(int more) {
    calls += more;
  }

  void callEnded() {
    calls--;
  }

  /** Nothing is sent of it any more: its future is to be completed. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** True if what was to be sent may be given back. */
  boolean isLetGo() {
    return closed && calls == 0;
  }

  /** Under new terms everything is asked for again. */
  void assign(long newFirstSeq, List<Integer> newPresent, BitSet newTargets) {
    firstSeq = newFirstSeq;
    present = newPresent;
    targets = newTargets;
    left = (BitSet) newTargets.clone();
    times++;
  }

  /** All of the phase before have acknowledged; these follow. */
  void follow(BitSet more) {
    present = Stream.concat(present.stream(), more.stream().boxed()).toList();
    targets.or(more);
    left.or(more);
  }

  /** These take no part, but must be there before it is complete. */
  void make(BitSet more) {
    targets.or(more);
    left.or(more);
  }

  /** Participants that the map calls present. */
  List<Integer> present() {
    return present;
  }

  /** All that were asked so far, also those that only have to be made. */
  BitSet targets() {
    return targets;
  }

  long firstSeq() {
    return firstSeq;
  }

  long lastSeq() {
    return firstSeq + order.seqCount() - 1;
  }

  /** Adds the components that have not acknowledged it to these. */
  void addLeftTo(BitSet components) {
    components.or(left);
  }

  boolean isLeft(int component) {
    return refusal == null && left.get(component);
  }

  void acknowledged(int component) {
    left.clear(component);
  }

  boolean isComplete() {
    return refusal == null && left.isEmpty();
  }

  /** It is to be undone, for that reason: no component is asked for it any more. */
  void refuse(WeftException reason) {
    refusal = reason;
  }

  /** Why it is being undone; null if it is not. */
  WeftException refusal() {
    return refusal;
  }

  /** What it fails with when it is nowhere any more. */
  WeftException wasUndone() {
    return because("the stripe is as it was, the file can be written on");
  }

  /**
   * Managers that granted new terms have decided on it, and may have found enough of it to keep it
   * (P 5.5). It was being undone then, or was given already.
   */
  boolean isUnsure(boolean underNewTerms) {
    return refusal != null && (underNewTerms || times > 1);
  }

  /** It may have been kept by a manager, and makes the file longer than what is complete. */
  boolean isLengthUnsure(boolean underNewTerms, long completeBytes) {
    return isUnsure(underNewTerms) && order.eofBytes() > completeBytes;
  }

  /** What it fails with if it is unsure, and the file is sound with or without it. */
  WeftException unsure() {
    return because(
        "the grant was replaced meanwhile, so this write may have been kept or not; the file can"
            + " be written on");
  }

  /** What it, and all that follows, fails with if it is unsure how long the file is by it. */
  WeftException unsureOfLength() {
    return because(
        "the grant was replaced meanwhile, so this write may have been kept behind the end of the"
            + " file or not; the file is given up, open it again");
  }

  private WeftException because(String outcome) {
    return new WeftException(refusal.code(), refusal.getMessage() + "; " + outcome, refusal);
  }
}
