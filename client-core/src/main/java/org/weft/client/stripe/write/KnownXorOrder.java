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
 * An XOR write (P 5.3) whose δ is known without asking: the data unit and all parities are told at
 * the same time. A few bytes behind the end of a file, in a stripe that this client has not read:
 * what lies there is zeros (P 4.3). Or bytes within it whose old ones were read before. It
 * establishes a length within a stripe of which every component exists.
 *
 * <p>Ends with the grant, as {@link XorOrder} does. Not for a stripe with a missing component.
 *
 * <p>What is durable when: once it is complete, as a stripe write. Of a writer that died before, a
 * manager applies it wherever it lacks if any component has it (P 5.5).
 */
final class KnownXorOrder implements ComponentOrder {
  private final XorParts parts;
  private final StripedFile file;
  private final long stripe;
  private final boolean isLeftWithoutRoom;
  private final String otherwise;

  private KnownXorOrder(
      XorParts parts, StripedFile file, long stripe, boolean isLeftWithoutRoom, String otherwise) {
    this.parts = parts;
    this.file = file;
    this.stripe = stripe;
    this.isLeftWithoutRoom = isLeftWithoutRoom;
    this.otherwise = otherwise;
  }

  /**
   * An order behind the end that lets go of its parts, whose δ is known, when it is released.
   *
   * @param isLeftWithoutRoom where an OSD has no room it is undone, and fails alone
   */
  static KnownXorOrder behindTheEnd(
      XorParts parts, StripedFile file, long stripe, boolean isLeftWithoutRoom) {
    return new KnownXorOrder(
        parts, file, stripe, isLeftWithoutRoom, "has something behind its end that is not zeros");
  }

  /** The same where the old bytes were read; where an OSD has no room it fails alone. */
  static KnownXorOrder over(XorParts parts, StripedFile file, long stripe) {
    return new KnownXorOrder(parts, file, stripe, true, "is not what was read of it just before");
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
    return failure == ErrorCode.BAD_MEDIA
        || failure == ErrorCode.INTERNAL
        || failure == ErrorCode.NO_SPACE && isLeftWithoutRoom;
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
              "%s %s, in stripe %d, component %d;"
                      .formatted(file.name(), otherwise, stripe, parts.dataComponent())
                  + " copy the file and remove it"));
    }
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
