package org.weft.recovery.rebuild;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.WeftException;
import org.weft.recovery.resolve.ResolveCalls;
import org.weft.recovery.resolve.ResolveTask;

/**
 * Writes single blocks of a component anew, where they are, because their medium does not give them
 * back (P 6.8b). For managers: no client may write the file meanwhile, and nothing of it may be
 * pending; then what is decoded is to be believed (P 5.6).
 *
 * <p>First the component is shut to every number below the task's. Then, block by block, all other
 * units of the stripe are read; where more of them are there than are needed they must agree, or
 * nothing is written. Once a block is computed the guard is asked whether that still holds; then it
 * is written under the task's number. A write that a later grant lets through raises the version of
 * the component above that number: so the block that is on its way never undoes it. When the future
 * completes the blocks are on stable storage.
 *
 * <p>Futures complete on the engine's executor and fail with a {@link WeftException}: UNAVAILABLE
 * if too few of the others answer, what the guard failed with, or what the OSD said. Blocks that
 * were written by then stay.
 */
public final class BlockRepair {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final StripeContext context;
  private final StripedFile file;
  private final RebuildTask task;
  private final List<Long> offsets;
  private final Supplier<CompletableFuture<Void>> guard;
  private final ResolveCalls making;
  private final PatientCalls calls;
  private final List<Long> lost = new ArrayList<>();
  private final List<Long> contradicted = new ArrayList<>();
  private long repaired;

  public BlockRepair(
      StripeContext context,
      StripedFile file,
      RebuildTask task,
      List<Long> offsets,
      Supplier<CompletableFuture<Void>> guard) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.offsets = List.copyOf(offsets);
    this.guard = guard;
    this.making = new ResolveCalls(context, file);
    this.calls = new PatientCalls(context);
  }

  /** Does it, once. */
  public CompletableFuture<BlockRepairOutcome> repair() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    var unused =
        calls
            .repeat(() -> making.shut(task.component(), task.number()))
            .whenComplete(
                (shut, thrown) -> {
                  if (thrown == null) {
                    next(0, done);
                  } else {
                    done.completeExceptionally(thrown);
                  }
                });
    return done.thenApply(nothing -> new BlockRepairOutcome(repaired, lost, contradicted))
        .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(WeftException.of(thrown)));
  }

  private void next(int index, CompletableFuture<Void> done) {
    if (index == offsets.size()) {
      done.complete(null);
      return;
    }
    long begunNanos = context.ticker().nowNanos();
    var unused =
        repair(offsets.get(index))
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown != null) {
                    done.completeExceptionally(thrown);
                    return;
                  }
                  task.written().accept(BLOCK_BYTES);
                  long pauseNanos = task.pauseNanos(context.ticker().nowNanos() - begunNanos);
                  // Not deeper and deeper where everything is answered at once.
                  context.after(pauseNanos, () -> next(index + 1, done));
                });
  }

  private CompletableFuture<Void> repair(long offsetBytes) {
    BlockOfStripe block = new BlockOfStripe(context, file, task, calls, offsetBytes);
    return block.read().thenCompose(nothing -> settle(block, offsetBytes));
  }

  private CompletableFuture<Void> settle(BlockOfStripe block, long offsetBytes) {
    switch (block.verdict()) {
      case WELL -> {
        return done();
      }
      case AWAY -> {
        return CompletableFuture.failedFuture(
            ComponentRebuild.tooFew(file, task.component(), block.why()));
      }
      case LOST -> {
        lost.add(offsetBytes);
        return done();
      }
      case CONTRADICTED -> {
        contradicted.add(offsetBytes);
        return done();
      }
      case KNOWN -> {
        return guard
            .get()
            .thenCompose(allowed -> write(block, offsetBytes))
            .thenRun(() -> repaired++);
      }
    }
    throw new AssertionError(block.verdict());
  }

  private CompletableFuture<?> write(BlockOfStripe block, long offsetBytes) {
    ResolveTask number =
        new ResolveTask(task.number(), 0, task.sizeBytes(), task.truncationNumber(), false, false);
    // No other such write to the block is made under this number: made twice it is done once.
    long seq = 1 + offsetBytes / BLOCK_BYTES;
    return calls.repeat(
        () ->
            making.put(
                task.component(), number, seq, task.sizeBytes(), offsetBytes, block.bytes()));
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
