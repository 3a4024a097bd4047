package org.weft.client.stripe.check;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/** Check of a file beyond its first unit, a few stripes after another. */
final class StripedCheck {
  private static final int BATCH_BYTES = 8 << 20;

  private final StripeContext context;
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final ComponentStates states;
  private final long eofBytes;
  private final long firstStripe;
  private final long endStripe;
  private final List<Long> contradicted = new ArrayList<>();
  private final CompletableFuture<Void> checked = new CompletableFuture<>();
  private long nextStripe;
  private long wrongUnits;
  private long damagedUnits;

  /**
   * @param stripes to be looked at, not beyond the end of the file
   */
  StripedCheck(
      StripeContext context,
      StripedFile file,
      ComponentStates states,
      long firstStripe,
      long stripes) {
    this.context = context;
    this.file = file;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.states = states;
    this.eofBytes = states.eofBytes();
    this.firstStripe = firstStripe;
    this.nextStripe = firstStripe;
    this.endStripe = firstStripe + stripes;
  }

  CompletableFuture<ParityReport> run() {
    next(null);
    return checked.thenApply(nothing -> report());
  }

  private ParityReport report() {
    return new ParityReport(
        eofBytes,
        endStripe - firstStripe,
        endStripe > layout.stripeOf(eofBytes - 1),
        wrongUnits,
        damagedUnits,
        contradicted);
  }

  private void next(Throwable thrown) {
    if (thrown != null) {
      checked.completeExceptionally(WeftException.of(thrown));
      return;
    }
    if (nextStripe >= endStripe) {
      checked.complete(null);
      return;
    }
    int stripes = batchStripes();
    CheckedStripes batch =
        new CheckedStripes(context, file, code, nextStripe, stripes, states::isPresent);
    nextStripe += stripes;
    var unused =
        batch
            .read()
            .thenRun(() -> batch.compare(eofBytes))
            .whenComplete(
                (nothing, failure) -> {
                  take(batch);
                  batch.dispose();
                  // Not deeper and deeper where everything is answered at once.
                  context.execute(() -> next(failure));
                });
  }

  private void take(CheckedStripes batch) {
    wrongUnits += batch.wrongUnits();
    damagedUnits += batch.damagedUnits();
    batch.contradicted().stream()
        .limit(ParityReport.MAX_CONTRADICTED - contradicted.size())
        .forEach(contradicted::add);
  }

  /** Inside one round of one group, so that each component is read in one piece. */
  private int batchStripes() {
    long fitting = BATCH_BYTES / ((long) layout.width() * layout.unitBytes());
    long inRound = layout.stripesLeftInRound(nextStripe);
    return (int) Math.max(1, Math.min(Math.min(fitting, inRound), endStripe - nextStripe));
  }
}
