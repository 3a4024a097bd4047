package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** Scrub of a file beyond its first unit, batch after batch. */
final class StripedScrub {
  private static final int BATCH_BYTES = 8 << 20;

  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final ComponentStates states;
  private final ScrubWrites writes;
  private final SortedSet<Long> suspects;
  private final long eofBytes;
  private final long stripeCount;
  private final CompletableFuture<Void> scrubbed = new CompletableFuture<>();
  private long nextStripe;
  private long lookedAt;
  private long wrongUnits;

  /**
   * A scrub to run.
   *
   * @param writes null to change nothing
   * @param suspects the stripes to look at; null for all
   */
  StripedScrub(
      StripeEngine engine,
      StripedFile file,
      ComponentStates states,
      ScrubWrites writes,
      SortedSet<Long> suspects) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.states = states;
    this.writes = writes;
    this.suspects = suspects;
    this.eofBytes = states.eofBytes();
    this.stripeCount = layout.stripeOf(eofBytes - 1) + 1;
  }

  CompletableFuture<ScrubReport> run() {
    List<Integer> absent = new ArrayList<>();
    for (int component = 0; component < components(); component++) {
      if (states.isLost(component)) {
        return CompletableFuture.failedFuture(lost(component));
      }
      if (!states.isPresent(component)) {
        absent.add(component);
      }
    }
    var unused = createAll(absent).whenComplete((nothing, thrown) -> next(thrown));
    return scrubbed
        .thenCompose(
            nothing -> writes == null ? CompletableFuture.completedFuture(null) : writes.complete())
        .thenApply(
            nothing ->
                new ScrubReport(
                    eofBytes,
                    lookedAt,
                    wrongUnits,
                    writes == null ? 0 : wrongUnits,
                    writes == null ? 0 : absent.size()));
  }

  /** Of the groups that the file has entered. */
  private int components() {
    return layout.groupsTouched(eofBytes) * layout.width();
  }

  private RpcException lost(int component) {
    return new RpcException(
        ErrorCode.TOO_MANY_LOST,
        "parity of %s cannot be checked: %s is not there any more; rebuild it first"
            .formatted(file.name(), file.describe(component)));
  }

  private CompletableFuture<Void> createAll(List<Integer> absent) {
    return writes == null
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.allOf(
            absent.stream().map(writes::create).toArray(CompletableFuture<?>[]::new));
  }

  private void next(Throwable thrown) {
    if (thrown != null) {
      scrubbed.completeExceptionally(RpcException.of(thrown));
      return;
    }
    skip();
    if (nextStripe >= stripeCount) {
      scrubbed.complete(null);
      return;
    }
    int stripes = batchStripes();
    ScrubBatch batch = new ScrubBatch(engine, file, code, nextStripe, stripes, states::isPresent);
    nextStripe += stripes;
    lookedAt += stripes;
    var unused =
        batch
            .read()
            .thenCompose(nothing -> batch.settle(writes, eofBytes))
            .whenComplete(
                (nothing, failure) -> {
                  wrongUnits += batch.wrongUnits();
                  batch.dispose();
                  // Not deeper and deeper where everything is answered at once.
                  engine.execute(() -> next(failure));
                });
  }

  /** Goes on to the next stripe that is to be looked at. */
  private void skip() {
    if (suspects != null) {
      SortedSet<Long> left = suspects.tailSet(nextStripe);
      nextStripe = left.isEmpty() ? stripeCount : left.first();
    }
  }

  /** Inside one round of one group, so that each component is read in one piece. */
  private int batchStripes() {
    long fitting = BATCH_BYTES / ((long) layout.width() * layout.unitBytes());
    long inRound = layout.groupDepth() - nextStripe % layout.groupDepth();
    long most = Math.max(1, Math.min(Math.min(fitting, inRound), stripeCount - nextStripe));
    int stripes = 1;
    while (stripes < most && (suspects == null || suspects.contains(nextStripe + stripes))) {
      stripes++;
    }
    return stripes;
  }
}
