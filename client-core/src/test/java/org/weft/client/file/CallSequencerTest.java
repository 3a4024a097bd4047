package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Some calls go beside each other, others alone, in the order in which they came. */
class CallSequencerTest {
  private final CallSequencer turns = new CallSequencer();
  private final List<CompletableFuture<Void>> begun = new ArrayList<>();

  private CompletableFuture<Void> take(boolean beside) {
    return turns.take(
        beside,
        () -> {
          begun.add(new CompletableFuture<>());
          return begun.get(begun.size() - 1);
        });
  }

  @Test
  void compatibleCallsRunSideBySide() {
    CompletableFuture<Void> first = take(true);
    take(true);
    assertEquals(2, begun.size());
    begun.get(0).complete(null);
    assertTrue(first.isDone());
  }

  @Test
  void aCallThatGoesAloneWaitsForAllAndIsWaitedFor() {
    take(true);
    take(true);
    take(false);
    take(true);
    assertEquals(2, begun.size());
    begun.get(0).complete(null);
    assertEquals(2, begun.size());
    begun.get(1).completeExceptionally(new WeftException(ErrorCode.NO_SPACE, "full"));
    assertEquals(3, begun.size(), "and no later call comes before it");
    begun.get(2).complete(null);
    assertEquals(4, begun.size());
  }

  @Test
  void manyThatAreOverAtOnceNeedNoStack() {
    take(false);
    List<CompletableFuture<Void>> many = new ArrayList<>();
    for (int each = 0; each < 50_000; each++) {
      many.add(turns.take(false, () -> CompletableFuture.completedFuture(null)));
    }
    begun.get(0).complete(null);
    assertTrue(many.stream().allMatch(CompletableFuture::isDone));
  }
}
