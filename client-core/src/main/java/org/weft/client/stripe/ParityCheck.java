package org.weft.client.stripe;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Tells whether the parity of a file at rest belongs to its data (DESIGN 5), and whether what lies
 * behind its end in the last stripe is zeros (P 4.3). Changes nothing.
 *
 * <p>All components must be there and answer; otherwise it fails, naming the one that did not.
 * Futures complete on the engine's executor and fail with an {@link RpcException}.
 */
public final class ParityCheck {
  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;

  ParityCheck(StripeEngine engine, StripedFile file) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
  }

  /** Looks at every stripe. A component that is not there counts as units of zeros. */
  public CompletableFuture<ParityReport> verify() {
    return ComponentStates.gather(engine, file).thenCompose(this::run);
  }

  private CompletableFuture<ParityReport> run(ComponentStates states) {
    if (!states.missing().isEmpty()) {
      return CompletableFuture.failedFuture(
          new RpcException(
              ErrorCode.TOO_MANY_LOST,
              "parity of %s cannot be checked: %s is marked missing; rebuild it first"
                  .formatted(file.name(), file.describe(states.missing().get(0)))));
    }
    if (states.eofBytes() == 0) {
      return CompletableFuture.completedFuture(new ParityReport(0, 0, 0));
    }
    // A file that was cut to its first unit may still hold the others: then it is no mere copy.
    return layout.isSmall(states.eofBytes()) && !states.holdsMoreThanCopies()
        ? new MirrorCheck(engine, file, states).run()
        : new StripedCheck(engine, file, states).run();
  }
}
