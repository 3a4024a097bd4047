package org.weft.client.stripe.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.commit.ComponentOrder;
import org.weft.client.stripe.commit.WriteOrder;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteRequest;

/**
 * Components give back what lies behind the end of a file that was cut (P 4.3). Its last stripe
 * must have been made zeros behind the end before: then nothing that is taken away counts in any
 * parity.
 */
final class CutOrder implements ComponentOrder {
  private final OsdClient osds;
  private final Layout layout;
  private final long sizeBytes;
  private final List<Integer> components;

  /**
   * A cut to be sent.
   *
   * @param components all that may hold something behind the end
   */
  CutOrder(OsdClient osds, Layout layout, long sizeBytes, List<Integer> components) {
    this.osds = osds;
    this.layout = layout;
    this.sizeBytes = sizeBytes;
    this.components = components;
  }

  @Override
  public List<Integer> participants() {
    return components;
  }

  @Override
  public int seqCount() {
    return 1;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    if (!attempt.create()) {
      return cut(attempt);
    }
    // It is not known whether the component is there. It may be there from now on.
    WriteRequest.Builder creation =
        WriteOrder.request(attempt.terms(), attempt.completeUpTo())
            .setEof(sizeBytes)
            .setCreate(attempt.terms().file().map().tag(attempt.component()));
    return osds.write(attempt.target(), creation, Payload.EMPTY)
        .thenCompose(created -> cut(attempt));
  }

  private CompletableFuture<?> cut(Try attempt) {
    StripeGrant grant = attempt.terms().grant();
    return osds.truncate(
        attempt.target(),
        TruncateRequest.newBuilder()
            .setObjectId(attempt.terms().file().name().object().value())
            .setLength(FileComponents.endOf(layout, sizeBytes, attempt.component()))
            .setEof(sizeBytes)
            .setTruncationNumber(grant.truncationNumber())
            .setGrant(grant.number())
            .setSeq(attempt.firstSeq())
            .setCompleteUpTo(attempt.completeUpTo()));
  }

  @Override
  public boolean needsFlush() {
    return true;
  }
}
