package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Makes the parity of a file agree with its data again after its writer died, or tells whether it
 * does (DESIGN 5). Every data unit counts as it is, also one that its writer's last write never
 * reached, so nothing that was acknowledged changes; only parity and copies are rewritten.
 *
 * <p>For managers, with the file's grants fenced off (P 5.7): there must be no writer. All
 * components must be present and answer; otherwise it fails, naming the one that did not, and may
 * be repeated. A scrub that ended half way has done no harm.
 *
 * <p>One scrub of one file at a time. Futures complete on the engine's executor and fail with an
 * {@link RpcException}.
 */
public final class ParityScrubber {
  private static final int BATCH_BYTES = 8 << 20;

  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;

  ParityScrubber(StripeEngine engine, StripedFile file) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
  }

  /**
   * Changes nothing. Components that are not there count as wrong units where they should hold
   * some.
   */
  public CompletableFuture<ScrubReport> verify() {
    return run(0, false);
  }

  /**
   * Rewrites wrong parity and makes components that were left out.
   *
   * @param grantNumber of the writes (P 5.1): never used before, not even by an earlier scrub, and
   *     at least the version of the file's objects
   */
  public CompletableFuture<ScrubReport> repair(long grantNumber) {
    return run(grantNumber, true);
  }

  private CompletableFuture<ScrubReport> run(long grantNumber, boolean repair) {
    return ComponentStates.gather(engine, file)
        .thenCompose(
            states -> {
              long eofBytes = states.eofBytes();
              ScrubWrites writes =
                  repair
                      ? new ScrubWrites(
                          engine, file, grantNumber, eofBytes, states.truncationNumber())
                      : null;
              if (eofBytes == 0) {
                return CompletableFuture.completedFuture(new ScrubReport(0, 0, 0, 0, 0));
              }
              return layout.isSmall(eofBytes)
                  ? new MirrorScrub(engine, file, states).run(writes)
                  : new Striped(states, writes).run();
            });
  }

  /** Scrub of a file beyond its first unit, batch after batch. */
  private final class Striped {
    private final ComponentStates states;
    private final ScrubWrites writes;
    private final long eofBytes;
    private final long stripeCount;
    private final CompletableFuture<ScrubReport> result = new CompletableFuture<>();
    private long nextStripe;
    private long wrongUnits;

    Striped(ComponentStates states, ScrubWrites writes) {
      this.states = states;
      this.writes = writes;
      this.eofBytes = states.eofBytes();
      this.stripeCount = layout.stripeOf(eofBytes - 1) + 1;
    }

    CompletableFuture<ScrubReport> run() {
      List<Integer> absent = absentComponents();
      for (int component : absent) {
        if (hasBeenAcknowledged(component)) {
          return CompletableFuture.failedFuture(lost(component));
        }
      }
      var unused = createAll(absent).whenComplete((nothing, thrown) -> next(thrown));
      return result.thenApply(
          report ->
              new ScrubReport(
                  report.eofBytes(),
                  report.stripes(),
                  report.wrongUnits(),
                  report.rewrittenUnits(),
                  writes == null ? 0 : absent.size()));
    }

    /** Of the groups that the file has entered. */
    private List<Integer> absentComponents() {
      List<Integer> absent = new ArrayList<>();
      int groups = (int) Math.min(layout.groups(), (stripeCount - 1) / layout.groupDepth() + 1);
      for (int component = 0; component < groups * layout.width(); component++) {
        if (!states.isPresent(component)) {
          absent.add(component);
        }
      }
      return absent;
    }

    /**
     * True if a component that is not there must once have been: no writer goes further ahead of
     * what all components have acknowledged than its window. Then it is lost, and zeros in its
     * place would be written into the parity for good.
     */
    private boolean hasBeenAcknowledged(int component) {
      long stripeMemoryBytes = (long) layout.width() * layout.unitBytes();
      long windowStripes = Math.max(1, StripeOptions.MOST_WINDOW_BYTES / stripeMemoryBytes);
      long heldStripes = states.componentBytesIn(component / layout.width()) / layout.unitBytes();
      return heldStripes > windowStripes;
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
        result.completeExceptionally(RpcException.of(thrown));
      } else if (nextStripe == stripeCount) {
        finish();
      } else {
        int stripes = batchStripes();
        ScrubBatch batch =
            new ScrubBatch(engine, file, code, nextStripe, stripes, states::isPresent);
        nextStripe += stripes;
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
    }

    /** Inside one round of one group, so that each component is read in one piece. */
    private int batchStripes() {
      long fitting = BATCH_BYTES / ((long) layout.width() * layout.unitBytes());
      long inRound = layout.groupDepth() - nextStripe % layout.groupDepth();
      return (int) Math.max(1, Math.min(Math.min(fitting, inRound), stripeCount - nextStripe));
    }

    private void finish() {
      long rewritten = writes == null ? 0 : wrongUnits;
      ScrubReport report = new ScrubReport(eofBytes, stripeCount, wrongUnits, rewritten, 0);
      CompletableFuture<Void> told =
          writes == null ? CompletableFuture.completedFuture(null) : writes.complete();
      var unused =
          told.whenComplete(
              (nothing, thrown) -> {
                if (thrown == null) {
                  result.complete(report);
                } else {
                  result.completeExceptionally(RpcException.of(thrown));
                }
              });
    }
  }
}
