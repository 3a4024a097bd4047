package org.weft.osd.store;

import java.util.Optional;
import org.weft.osd.store.value.Delta;

/** What a mutation did, beside being committed: one type for each kind of answer. */
public sealed interface MutationResult {
  /** There is nothing to tell. */
  MutationResult DONE = new Done();

  /** It is done, or it had been before. */
  record Done() implements MutationResult {}

  /**
   * Of blocks or pages that carry an LSN.
   *
   * @param items that were not stored, since what is there is as new
   */
  record Skipped(int items) implements MutationResult {}

  /**
   * Of what ends something.
   *
   * @param existed for a removal: there was an object; for an abort: the write was there; for the
   *     drop of a partition: there is more of it
   */
  record Ended(boolean existed) implements MutationResult {}

  /**
   * Of what raises a number.
   *
   * @param number that counts now: the object's version, or the partition's epoch
   */
  record Raised(long number) implements MutationResult {}

  /**
   * Of a part of a BlockRelease.
   *
   * @param resumeBlock the block that its next part begins at; 0: it is done
   */
  record Released(long resumeBlock) implements MutationResult {}

  /**
   * Of an XorExchange.
   *
   * @param delta empty if its id was complete before: then there is nothing left to apply
   */
  record Exchanged(Optional<Delta> delta) implements MutationResult {}
}
