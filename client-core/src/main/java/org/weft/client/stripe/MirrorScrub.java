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
 * Scrub of a small file (P 4.2): makes its m + 1 copies alike, and zeros of what they hold behind
 * its end. The copy that knows the file's length wins, the first of several: an acknowledged file
 * is alike everywhere, so that this only decides how much of an unacknowledged one is kept. If none
 * knows it, the file has been cut and no component has heard of it yet: then d_0 itself counts.
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
      if (states.isLost(component)) {
        return CompletableFuture.failedFuture(
            new RpcException(
                ErrorCode.TOO_MANY_LOST,
                "copies of %s cannot be compared: %s is not there any more; rebuild it first"
                    .formatted(file.name(), file.describe(component))));
      }
      if (states.isPresent(component)) {
        // On the heap: small, and the transport may hold on to it longer than a call lasts.
        copies.add(new UnitWant(component, 0, ByteBuffer.allocate(layout.unitBytes())));
      }
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentFetch.all(engine, file, copies, false, () -> read.complete(null));
    return read.thenCompose(nothing -> settle(writes));
  }

  private CompletableFuture<ScrubReport> settle(ScrubWrites writes) {
    Optional<UnitWant> best = best();
    if (best.isEmpty()) {
      return CompletableFuture.failedFuture(
          new RpcException(
              ErrorCode.TOO_MANY_LOST,
              "no copy of %s that knows its length of %d bytes can be read"
                  .formatted(file.name(), lengthBytes)));
    }
    ByteBuffer right = ByteBuffer.allocate(layout.unitBytes());
    right.put(0, best.get().sink(), 0, lengthBytes);
    List<Integer> wrong = new ArrayList<>();
    int absent = 0;
    for (int component = 0; component <= layout.parityUnits(); component++) {
      if (!isLike(component, right)) {
        wrong.add(component);
        absent += states.isPresent(component) ? 0 : 1;
      }
    }
    boolean repair = writes != null && !wrong.isEmpty();
    ScrubReport report =
        new ScrubReport(
            lengthBytes, 1, wrong.size(), repair ? wrong.size() : 0, repair ? absent : 0);
    return repair
        ? rewrite(writes, wrong, right).thenApply(nothing -> report)
        : CompletableFuture.completedFuture(report);
  }

  private Optional<UnitWant> best() {
    Optional<UnitWant> knowing = copies.stream().filter(this::knowsLength).findFirst();
    return knowing.isPresent()
        ? knowing
        : copies.stream()
            .filter(copy -> copy.failure() == null && !copy.isBlank())
            .filter(copy -> copy.component() == 0 || layout.isSmall(copy.eofBytes()))
            .findFirst();
  }

  private boolean knowsLength(UnitWant copy) {
    return copy.failure() == null
        && copy.truncationNumber() == states.truncationNumber()
        && copy.eofBytes() == lengthBytes;
  }

  private boolean isLike(int component, ByteBuffer right) {
    return copies.stream()
        .anyMatch(
            copy ->
                copy.component() == component && knowsLength(copy) && copy.sink().equals(right));
  }

  private CompletableFuture<Void> rewrite(
      ScrubWrites writes, List<Integer> wrong, ByteBuffer right) {
    boolean clean =
        copies.stream()
            .allMatch(copy -> copy.failure() == null && Zeros.are(copy.sink(), lengthBytes));
    ByteBuffer bytes = clean ? right.slice(0, lengthBytes) : right;
    long seq = writes.nextSeq();
    CompletableFuture<?>[] rewritten =
        wrong.stream()
            .map(component -> writes.unit(seq, wrong, component, 0, bytes.duplicate()))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(rewritten).thenCompose(nothing -> writes.complete());
  }
}
