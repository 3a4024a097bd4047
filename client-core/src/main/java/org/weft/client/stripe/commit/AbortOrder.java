package org.weft.client.stripe.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.WriteRequest;

/**
 * Undoes one write on all components that were asked for it (P 5.4). A component that has not seen
 * the write refuses it from then on, so that a request still on its way does no harm. A component
 * that does not exist yet is made for that, and told of no length. An order that needs the length
 * tells it. Ends with the grant: under another one the write has been decided on by the manager (P
 * 5.5).
 */
final class AbortOrder implements ComponentOrder {
  private final StripeContext context;
  private final List<Integer> components;
  private final long grant;
  private final long firstSeq;
  private final int seqCount;

  /**
   * The undoing of a write.
   *
   * @param components that were asked for the write
   * @param grant of the write: its numbers are other writes' under another one
   */
  AbortOrder(
      StripeContext context, List<Integer> components, long grant, long firstSeq, int seqCount) {
    this.context = context;
    this.components = components;
    this.grant = grant;
    this.firstSeq = firstSeq;
    this.seqCount = seqCount;
  }

  @Override
  public List<Integer> participants() {
    return components;
  }

  @Override
  public boolean fits(WriteTerms terms, boolean again) {
    return !again && terms.grant().number() == grant;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    if (!attempt.create()) {
      return abort(attempt);
    }
    WriteRequest.Builder creation = WriteOrder.request(attempt.terms(), attempt.completeUpTo());
    WriteOrder.create(creation, attempt);
    return context
        .osds()
        .write(attempt.target(), creation, Payload.EMPTY)
        .handle((reply, thrown) -> made(thrown))
        .thenCompose(made -> abort(attempt));
  }

  /**
   * Where there is no room to make it, nothing keeps the write from being made there later, when
   * there is: it is tried again.
   */
  private static Void made(Throwable thrown) {
    if (thrown == null) {
      return null;
    }
    WeftException why = WeftException.of(thrown);
    throw new CompletionException(
        why.code() == ErrorCode.NO_SPACE
            ? new WeftException(
                ErrorCode.OVERLOADED, "no room to note that a write is undone: " + why, why)
            : why);
  }

  private CompletableFuture<Void> abort(Try attempt) {
    return context
        .osds()
        .abort(
            attempt.target(),
            AbortRequest.newBuilder()
                .setObjectId(attempt.terms().file().name().object().value())
                .setGrant(grant)
                .setFirstSeq(firstSeq)
                .setSeqCount(seqCount))
        .handle((reply, thrown) -> undone(thrown));
  }

  private static Void undone(Throwable thrown) {
    if (thrown != null && WeftException.of(thrown).code() != ErrorCode.NO_SUCH_OBJECT) {
      throw new CompletionException(thrown);
    }
    return null;
  }
}
