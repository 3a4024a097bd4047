package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Scrub of a small file (P 4.2): makes its m + 1 copies alike. The copy that knows of the longest
 * file wins, the first of several: an acknowledged file is alike everywhere, so that this only
 * decides how much of an unacknowledged one is kept.
 */
final class MirrorScrub {
  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final ComponentStates states;
  private final int lengthBytes;
  private final List<UnitWant> copies = new ArrayList<>();

  MirrorScrub(StripeEngine engine, StripedFile file, ComponentStates states) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
    this.states = states;
    this.lengthBytes = (int) states.eofBytes();
  }

  /** Compares, and rewrites what is wrong if {@code writes} is given. */
  CompletableFuture<ScrubReport> run(ScrubWrites writes) {
    for (int component = 0; component <= layout.parityUnits(); component++) {
      if (states.isPresent(component)) {
        // On the heap: small, and the transport may hold on to it longer than a call lasts.
        copies.add(new UnitWant(component, 0, ByteBuffer.allocate(lengthBytes)));
      }
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentFetch.all(engine, file, copies, false, () -> read.complete(null));
    return read.thenCompose(nothing -> settle(writes));
  }

  private CompletableFuture<ScrubReport> settle(ScrubWrites writes) {
    Optional<UnitWant> best =
        copies.stream()
            .filter(copy -> copy.failure() == null && copy.eofBytes() == lengthBytes)
            .findFirst();
    if (best.isEmpty()) {
      return CompletableFuture.failedFuture(
          new RpcException(
              ErrorCode.TOO_MANY_LOST,
              "no copy of %s that knows its length of %d bytes can be read"
                  .formatted(file.name(), lengthBytes)));
    }
    List<Integer> wrong = new ArrayList<>();
    int absent = 0;
    for (int component = 0; component <= layout.parityUnits(); component++) {
      if (!isLike(component, best.get())) {
        wrong.add(component);
        absent += states.isPresent(component) ? 0 : 1;
      }
    }
    boolean repair = writes != null && !wrong.isEmpty();
    ScrubReport report =
        new ScrubReport(
            lengthBytes, 1, wrong.size(), repair ? wrong.size() : 0, repair ? absent : 0);
    return repair
        ? rewrite(writes, wrong, best.get()).thenApply(nothing -> report)
        : CompletableFuture.completedFuture(report);
  }

  private boolean isLike(int component, UnitWant best) {
    return copies.stream()
        .anyMatch(
            copy ->
                copy.component() == component
                    && copy.failure() == null
                    && copy.eofBytes() == lengthBytes
                    && copy.sink().equals(best.sink()));
  }

  private CompletableFuture<Void> rewrite(ScrubWrites writes, List<Integer> wrong, UnitWant best) {
    long seq = writes.nextSeq();
    CompletableFuture<?>[] rewritten =
        wrong.stream()
            .map(component -> writes.unit(seq, wrong, component, 0, best.sink().duplicate()))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(rewritten).thenCompose(nothing -> writes.complete());
  }
}
