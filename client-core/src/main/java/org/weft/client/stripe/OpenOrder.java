package org.weft.client.stripe;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An order that not every present component has acknowledged. Guarded by its sender's monitor. */
final class OpenOrder {
  private final ComponentOrder order;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private List<Integer> present = List.of();
  private BitSet left = new BitSet();
  private long firstSeq;

  OpenOrder(ComponentOrder order) {
    this.order = order;
  }

  ComponentOrder order() {
    return order;
  }

  /** Completes when all present components have acknowledged. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Under new terms everything is asked for again. */
  void assign(long newFirstSeq, List<Integer> newPresent, BitSet targets) {
    firstSeq = newFirstSeq;
    present = newPresent;
    left = targets;
  }

  List<Integer> present() {
    return present;
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
    return left.get(component);
  }

  void acknowledged(int component) {
    left.clear(component);
  }

  boolean isComplete() {
    return left.isEmpty();
  }
}
