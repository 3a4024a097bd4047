package org.weft.osd.store.engine.commit;

import java.io.IOException;
import java.util.SortedSet;
import org.weft.osd.store.MutationResult;
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
   */
  record Staged(MutationResult result, boolean answered) {
    /** It is done, and there is nothing to tell. */
    public static final Staged DONE = now(MutationResult.DONE);

    /** It had been committed before. */
    public static final Staged ANSWERED = before(MutationResult.DONE);

    /** It is done. */
    public static Staged now(MutationResult result) {
      return new Staged(result, false);
    }

    /** It had been committed before, and is answered with the same. */
    public static Staged before(MutationResult result) {
      return new Staged(result, true);
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
