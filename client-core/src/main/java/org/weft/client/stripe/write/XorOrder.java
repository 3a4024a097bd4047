package org.weft.client.stripe.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.ComponentOrder;
import org.weft.protocol.error.ErrorCode;

/**
 * A change inside one data unit whose old bytes this client does not know (P 5.3). Its OSD replaces
 * them and answers with δ = old ⊕ new. Then every parity is sent its multiple of δ, all at the same
 * time. Complete when all parities have acknowledged. Each step is repeated under the same id. An
 * OSD that has executed it says so, or says δ again, also after it has started anew (P 5.4).
 *
 * <p>Ends with the grant: the manager finishes or drops what is half done (P 5.5), and only then
 * may the old bytes be read again. Not for a stripe with a missing component.
 *
 * <p>What is durable when: once it is complete, it is as durable as a stripe write. Until then it
 * is durable only as long as a component's pending list has it. A manager can finish it from any
 * one of them.
 */
final class XorOrder implements ComponentOrder {
  private final XorParts parts;
  private final long stripe;

  private boolean followed;

  /** An order that lets go of its parts when it is released. */
  XorOrder(XorParts parts, long stripe) {
    this.parts = parts;
    this.stripe = stripe;
  }

  @Override
  public List<Integer> participants() {
    return List.of(parts.dataComponent());
  }

  @Override
  public List<Integer> nextPhase() {
    // Without δ the id was complete before: then the parities have theirs.
    boolean last = followed || !parts.isDeltaKnown();
    followed = true;
    return last ? List.of() : parts.parityComponents();
  }

  @Override
  public boolean fits(WriteTerms terms, boolean again) {
    return !again && FileComponents.isWhole(terms.file(), stripe);
  }

  @Override
  public boolean isAbortable(ErrorCode failure) {
    return failure == ErrorCode.NO_SPACE;
  }

  @Override
  public int seqCount() {
    return 1;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    return parts.attempt(attempt, parts::take);
  }

  @Override
  public boolean needsFlush() {
    return !parts.isDurable();
  }

  @Override
  public void release() {
    parts.release();
  }
}
