package org.weft.osd.store;

import java.util.Optional;
import org.weft.osd.store.value.Delta;

/**
 * A mutation was committed, or had been before.
 *
 * @param pendingCheckpoint the checkpoint that will cover it, or already did
 * @param durableCheckpoint the last one on stable storage
 * @param result of its kind, or {@link MutationResult#DONE}
 */
public record Receipt(long pendingCheckpoint, long durableCheckpoint, MutationResult result) {
  /** Blocks or pages that were newer here. */
  public int skipped() {
    return result instanceof MutationResult.Skipped skipped ? skipped.items() : 0;
  }

  /** What was to end was there, or there is more of it. */
  public boolean existed() {
    return result instanceof MutationResult.Ended ended && ended.existed();
  }

  /** The object's version, or the partition's epoch, after a request to raise it. */
  public long inForce() {
    return result instanceof MutationResult.Raised raised ? raised.number() : 0;
  }

  /** The block that the next part of a BlockRelease begins at; 0: it is done. */
  public long resumeBlock() {
    return result instanceof MutationResult.Released released ? released.resumeBlock() : 0;
  }

  /** What an XorExchange changed; empty if its id was complete before. */
  public Optional<Delta> delta() {
    return result instanceof MutationResult.Exchanged exchanged
        ? exchanged.delta()
        : Optional.empty();
  }
}
