package org.weft.client.stripe.write;

import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.commit.ComponentOrder;
import org.weft.protocol.wire.PunchRequest;

/** Components give back the space of blocks that have been written as zeros (P 4.3). */
final class PunchOrder implements ComponentOrder {
  private final OsdClient osds;
  private final SortedMap<Integer, List<PunchedBlocks.Extent>> extents;

  PunchOrder(OsdClient osds, SortedMap<Integer, List<PunchedBlocks.Extent>> extents) {
    this.osds = osds;
    this.extents = extents;
  }

  @Override
  public List<Integer> participants() {
    return List.copyOf(extents.keySet());
  }

  @Override
  public int seqCount() {
    return 1;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    CompletableFuture<?> last = CompletableFuture.completedFuture(null);
    for (PunchedBlocks.Extent extent : extents.get(attempt.component())) {
      last = last.thenCompose(before -> punch(attempt, extent));
    }
    return last;
  }

  private CompletableFuture<?> punch(Try attempt, PunchedBlocks.Extent extent) {
    return osds.punch(
        attempt.target(),
        PunchRequest.newBuilder()
            .setObjectId(attempt.terms().file().name().object().value())
            .setOffset(extent.offsetBytes())
            .setLength(extent.lengthBytes())
            .setGrant(attempt.terms().grant().number())
            .setSeq(attempt.firstSeq())
            .setCompleteUpTo(attempt.completeUpTo()));
  }
}
