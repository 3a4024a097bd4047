package org.weft.client.stripe.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.osd.DeltaResult;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.ComponentOrder;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.XorReadWriteReply;

/**
 * A few bytes behind the end of a file whose last stripe this client has not read: an XOR write (P
 * 5.3) whose δ is known without asking, since what lies behind the end is zeros (P 4.3). So the
 * data unit and all parities are told at the same time, and nothing is read. It establishes a
 * length within a stripe of which every component exists.
 *
 * <p>Ends with the grant, as {@link XorOrder} does. Not for a stripe with a missing component.
 *
 * <p>What is durable when: once it is complete, as a stripe write. Of a writer that died before, a
 * manager applies it wherever it lacks if any component has it (P 5.5).
 */
final class AppendOrder implements ComponentOrder {
  private final XorParts parts;
  private final StripedFile file;
  private final long stripe;

  /** An order that lets go of its parts, whose δ is known, when it is released. */
  AppendOrder(XorParts parts, StripedFile file, long stripe) {
    this.parts = parts;
    this.file = file;
    this.stripe = stripe;
  }

  @Override
  public List<Integer> participants() {
    return parts.all();
  }

  @Override
  public boolean fits(WriteTerms terms, boolean again) {
    return !again && FileComponents.isWhole(terms.file(), stripe);
  }

  /**
   * A stripe write heals what is damaged where this one has to read it. What is not zeros is found
   * when the data unit has been changed already, and parities may have been. A whole store that has
   * failed is a lost OSD: the next grant does without it (P 5.8).
   */
  @Override
  public boolean isAbortable(ErrorCode failure) {
    return failure == ErrorCode.BAD_MEDIA || failure == ErrorCode.INTERNAL;
  }

  @Override
  public int seqCount() {
    return 1;
  }

  @Override
  public long eofBytes() {
    return parts.eofBytes();
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    return parts.attempt(attempt, this::requireKnown);
  }

  private void requireKnown(DeltaResult<XorReadWriteReply> result) {
    if (!parts.isSame(result)) {
      throw new CompletionException(
          new WeftException(
              ErrorCode.INTERNAL,
              "%s has something behind its end that is not zeros, in stripe %d, component %d;"
                      .formatted(file.name(), stripe, parts.dataComponent())
                  + " copy the file and remove it"));
    }
  }

  @Override
  public boolean needsFlush() {
    return true;
  }

  @Override
  public void release() {
    parts.release();
  }
}
