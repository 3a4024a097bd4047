package org.weft.client.stripe;

import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.RpcException;

/** Check of a file beyond its first unit, a few stripes after another. */
final class StripedCheck {
  private static final int BATCH_BYTES = 8 << 20;

  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final ComponentStates states;
  private final long eofBytes;
  private final long stripeCount;
  private final CompletableFuture<Void> checked = new CompletableFuture<>();
  private long nextStripe;
  private long wrongUnits;

  StripedCheck(StripeEngine engine, StripedFile file, ComponentStates states) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.states = states;
    this.eofBytes = states.eofBytes();
    this.stripeCount = layout.stripeOf(eofBytes - 1) + 1;
  }

  CompletableFuture<ParityReport> run() {
    next(null);
    return checked.thenApply(nothing -> new ParityReport(eofBytes, stripeCount, wrongUnits));
  }

  private void next(Throwable thrown) {
    if (thrown != null) {
      checked.completeExceptionally(RpcException.of(thrown));
      return;
    }
    if (nextStripe >= stripeCount) {
      checked.complete(null);
      return;
    }
    int stripes = batchStripes();
    CheckedStripes batch =
        new CheckedStripes(engine, file, code, nextStripe, stripes, states::isPresent);
    nextStripe += stripes;
    var unused =
        batch
            .read()
            .thenRun(() -> batch.compare(eofBytes))
            .whenComplete(
                (nothing, failure) -> {
                  wrongUnits += batch.wrongUnits();
                  batch.dispose();
                  // Not deeper and deeper where everything is answered at once.
                  engine.execute(() -> next(failure));
                });
  }

  /** Inside one round of one group, so that each component is read in one piece. */
  private int batchStripes() {
    long fitting = BATCH_BYTES / ((long) layout.width() * layout.unitBytes());
    long inRound = layout.groupDepth() - nextStripe % layout.groupDepth();
    return (int) Math.max(1, Math.min(Math.min(fitting, inRound), stripeCount - nextStripe));
  }
}
