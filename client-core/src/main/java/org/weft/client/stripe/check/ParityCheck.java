package org.weft.client.stripe.check;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Tells whether the parity of a file at rest belongs to its data (DESIGN 5). It also tells whether
 * what lies behind its end in the last stripe is zeros (P 4.3). Changes nothing; damaged blocks
 * that it meets are reported to their OSDs (P 6.8b).
 *
 * <p>All components must be there and answer; otherwise it fails, naming the one that did not.
 * Futures complete on the engine's executor and fail with a {@link WeftException}.
 */
public final class ParityCheck {
  private final StripeContext context;
  private final StripedFile file;
  private final Layout layout;

  public ParityCheck(StripeContext context, StripedFile file) {
    this.context = context;
    this.file = file;
    this.layout = file.layout();
  }

  /** Looks at every stripe. A component that is not there counts as units of zeros. */
  public CompletableFuture<ParityReport> verify() {
    return verify(0, Long.MAX_VALUE);
  }

  /**
   * Looks at some stripes; of a small file at all of its copies.
   *
   * @param fromStripe the first; where the file ends before it, nothing is looked at
   * @param most stripes, at least one
   */
  public CompletableFuture<ParityReport> verify(long fromStripe, long most) {
    if (fromStripe < 0 || most < 1) {
      throw new IllegalArgumentException("no stripes: " + most + " from " + fromStripe);
    }
    return ComponentStates.gather(context, file)
        .thenCompose(states -> run(states, fromStripe, most));
  }

  private CompletableFuture<ParityReport> run(ComponentStates states, long fromStripe, long most) {
    if (!states.missing().isEmpty()) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.TOO_MANY_LOST,
              "parity of %s cannot be checked: %s is marked missing; rebuild it first"
                  .formatted(file.name(), file.describe(states.missing().get(0)))));
    }
    long eofBytes = states.eofBytes();
    long count = eofBytes == 0 ? 0 : layout.stripeOf(eofBytes - 1) + 1;
    if (fromStripe >= count) {
      return CompletableFuture.completedFuture(ParityReport.NOTHING);
    }
    // A file that was cut to its first unit may still hold the others: then it is no mere copy.
    return layout.isSmall(eofBytes) && !states.holdsMoreThanCopies()
        ? new MirrorCheck(context, file, states).run()
        : new StripedCheck(context, file, states, fromStripe, Math.min(most, count - fromStripe))
            .run();
  }
}
