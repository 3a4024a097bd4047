package org.weft.recovery;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.recovery.rebuild.BlockRepair;
import org.weft.recovery.rebuild.ComponentRebuild;
import org.weft.recovery.rebuild.RebuildTask;
import org.weft.recovery.resolve.ResolveTask;
import org.weft.recovery.resolve.StripeResolver;

/**
 * Begins what a manager does to a file when a writer died or an OSD was lost: resolves, rebuilds,
 * repairs. Thread-safe; holds nothing of its own, so that any number may be made.
 */
public final class FileRecovery {
  private final StripeContext context;

  /**
   * @param stripes whose connections, memory and executor are used
   */
  public FileRecovery(StripeEngine stripes) {
    this.context = stripes.context();
  }

  /** Decides what writers that are gone left pending; the versions must have been raised. */
  public StripeResolver resolver(StripedFile file, ResolveTask task) {
    return new StripeResolver(context, file, task);
  }

  /** Writes a component anew where the file's map says; the others must be at rest (P 6.8). */
  public ComponentRebuild rebuild(StripedFile file, RebuildTask task) {
    return new ComponentRebuild(context, file, task);
  }

  /**
   * Writes damaged blocks of a component anew where they are; the others must be at rest (P 6.8b).
   *
   * @param offsets of the blocks in the component
   * @param guard completes if no client was allowed to write the file since the task's number was
   *     drawn. It is asked for each block, once it is computed and before it is written
   */
  public BlockRepair repairBlocks(
      StripedFile file,
      RebuildTask task,
      List<Long> offsets,
      Supplier<CompletableFuture<Void>> guard) {
    return new BlockRepair(context, file, task, offsets, guard);
  }
}
