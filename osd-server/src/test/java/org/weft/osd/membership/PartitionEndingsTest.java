package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.PartitionDrop;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;

/** Partitions that are gone are removed, part by part, until nothing is left of them. */
class PartitionEndingsTest {
  private final List<Integer> asked = new ArrayList<>();
  private final List<Integer> failing = new ArrayList<>();
  private final PartitionEndings endings = new PartitionEndings(this::drop);

  /** Each has two parts. */
  private CompletionStage<Receipt> drop(PartitionDrop drop) {
    int id = (int) drop.partition().value();
    asked.add(id);
    if (failing.contains(id)) {
      return CompletableFuture.failedFuture(new WeftException(ErrorCode.BAD_MEDIA, "no"));
    }
    boolean existed = asked.stream().filter(each -> each == id).count() <= 2;
    return CompletableFuture.completedFuture(new Receipt(1, 1, new MutationResult.Ended(existed)));
  }

  private static PartitionId partition(int id) {
    return new PartitionId(id);
  }

  @Test
  void theyGoPartByPartAndOneAfterTheOther() {
    endings.add(List.of(partition(7), partition(8)));
    assertEquals(List.of(7, 7, 7, 8, 8, 8), asked);
    endings.goOn();
    assertEquals(6, asked.size());
  }

  @Test
  void oneThatFailsIsTriedAgainAndHoldsUpNoOther() {
    failing.add(7);
    endings.add(List.of(partition(7), partition(8)));
    assertEquals(List.of(7), asked);
    endings.goOn();
    assertEquals(List.of(7, 8, 8, 8, 7), asked);
    failing.clear();
    asked.clear();
    endings.goOn();
    assertEquals(List.of(7, 7, 7), asked);
  }
}
