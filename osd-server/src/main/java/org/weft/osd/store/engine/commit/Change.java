package org.weft.osd.store.engine.commit;

import java.io.IOException;
import java.util.SortedSet;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.WeftException;

/**
 * A mutation that is prepared: what it wrote lies in blocks that nothing leads to yet. Exactly one
 * of the last three methods is called in the end.
 */
public interface Change {
  /**
   * What a change did.
   *
   * @param answered it had been committed before and was not executed again
   * @param resumeBlock where there is more to do, by another change; 0 if there is not
   * @param delta what the write changed, if it was asked for, else null
   */
  record Staged(
      int skipped, boolean existed, long inForce, boolean answered, long resumeBlock, Delta delta) {
    /** It is done, and there is nothing to tell. */
    public static final Staged DONE = new Staged(0, false, 0, false, 0, null);

    /** It had been committed before. */
    public static final Staged ANSWERED = new Staged(0, false, 0, true, 0, null);

    /** A write that shows what it changed. */
    public static Staged with(Delta delta) {
      return new Staged(0, false, 0, false, 0, delta);
    }

    /** A write that was committed before, with its δ; null if it is complete. */
    public static Staged answering(Delta delta) {
      return new Staged(0, false, 0, true, 0, delta);
    }

    /** So many items were not stored, since what is there is as new. */
    public static Staged skipping(int skipped) {
      return new Staged(skipped, false, 0, false, 0, null);
    }

    /** A part of something larger is done. */
    public static Staged upTo(long resumeBlock) {
      return new Staged(0, false, 0, false, resumeBlock, null);
    }

    /** There was something, or there is more of it. */
    public static Staged existing(boolean existed) {
      return new Staged(0, existed, 0, false, 0, null);
    }

    /** The number that counts now: an epoch, or a version. */
    public static Staged inForce(long number) {
      return new Staged(0, false, number, false, 0, null);
    }
  }

  /**
   * Decides against the state as of now and stages the effects. Called once, by the committer.
   *
   * @throws WeftException if the mutation is refused
   * @throws StaleException if it must be prepared again
   */
  Staged stage(Transaction transaction) throws IOException, StaleException;

  /** Segments whose data must be synced for the change to be durable. */
  SortedSet<Integer> segments();

  /** True if it is durable only if earlier changes are, whose bytes may lie anywhere. */
  default boolean restsOnOthers() {
    return false;
  }

  /** The effects are in the key-value store. */
  void committed();

  /** Nothing of it is: blocks go back. */
  void abandoned();

  /** Unknown: blocks stay as they are until the store is opened again. */
  void inDoubt();
}
