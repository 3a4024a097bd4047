package org.weft.client.stripe.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.osd.OsdTarget;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;

/**
 * What several components of a file are asked to do, each until it has acknowledged. {@link
 * FileWriteService} repeats it, and gives it again under new terms if a component is lost meanwhile
 * (P 5.8). To carry it out twice at one component must do no harm.
 *
 * <p>{@link FileWriteMachine} asks what it is, one call at a time and under its lock: an answer
 * must not block. {@link #attempt} and {@link #release} are called without a lock.
 */
public interface ComponentOrder {
  /**
   * One try at one component.
   *
   * @param create the component has not acknowledged anything yet and may have to be made
   * @param present participants of the order that the map does not call missing
   * @param firstSeq of the order's sequence numbers; 0 if it takes none
   * @param completeUpTo every write of the grant up to here is complete
   */
  record Try(
      WriteTerms terms,
      int component,
      boolean create,
      List<Integer> present,
      long firstSeq,
      long completeUpTo,
      int timeoutMillis) {
    public OsdTarget target() {
      return terms.file().target(component, timeoutMillis);
    }
  }

  /**
   * Indexes of the components that take part; those that the map calls missing are left out by the
   * sender. Asked again for each new grant.
   */
  List<Integer> participants();

  /**
   * Components that follow when all of those before have acknowledged; empty if nothing is left to
   * do. Asked once for each phase.
   */
  default List<Integer> nextPhase() {
    return List.of();
  }

  /**
   * True if it can be given under those terms. If it cannot any more, because components have been
   * lost, it ends with {@link TermsReplaced}.
   *
   * @param again it was given before, under an earlier grant
   */
  default boolean fits(WriteTerms terms, boolean again) {
    return true;
  }

  /**
   * True if it may fail alone with that. When a component answers so, it is undone on all others (P
   * 5.4), and the writing goes on.
   */
  default boolean isAbortable(ErrorCode failure) {
    return false;
  }

  /** Sequence numbers that it takes. */
  default int seqCount() {
    return 0;
  }

  /** File length that it establishes: every component of the groups up to there takes part. */
  default long eofBytes() {
    return 0;
  }

  /** Of the file once the order is complete: larger than that of the grant if it cuts the file. */
  default int truncationNumber(StripeGrant grant) {
    return grant.truncationNumber();
  }

  /** True if a component that carries it out refuses older grants from then on (P 5.7). */
  default boolean raisesVersion() {
    return true;
  }

  /** Sends it; completes when the component has acknowledged. */
  CompletableFuture<?> attempt(Try attempt);

  /** True if what a component has acknowledged may not be on its stable storage yet (P 5.9). */
  default boolean needsFlush() {
    return false;
  }

  /** The component has acknowledged. */
  default void acknowledged(int component) {}

  /** Nothing of it is sent any more: lets go of the memory. Called once. */
  default void release() {}
}
