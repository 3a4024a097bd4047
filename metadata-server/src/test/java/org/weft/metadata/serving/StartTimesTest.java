package org.weft.metadata.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long the steps of a volume's start took. */
final class StartTimesTest {
  private long nowMillis = 1_000;
  private final StartTimes times = new StartTimes(() -> TimeUnit.MILLISECONDS.toNanos(nowMillis));

  @Test
  void eachStepBeginsWhereTheOneBeforeEnds() {
    times.begin();
    nowMillis += 40;
    times.ended("journal");
    CompletableFuture<String> fence = new CompletableFuture<>();
    CompletableFuture<String> ended = times.ended("fence", fence);
    nowMillis += 7;
    fence.complete("done");
    assertEquals("done", ended.join());
    nowMillis += 3;
    assertEquals("47 ms: journal 40, fence 7", times.toString());
  }

  @Test
  void parallelStepHasItsOwnBeginning() {
    times.begin();
    nowMillis += 5;
    times.ended("journal");
    CompletableFuture<String> fence = new CompletableFuture<>();
    CompletableFuture<String> beside = times.beside("fence", fence);
    nowMillis += 10;
    times.ended("state");
    nowMillis += 20;
    fence.complete("done");
    assertEquals("done", beside.join());
    times.ended("fence and backup");
    assertEquals(
        "35 ms: journal 5, state 10, fence alone 30, fence and backup 20", times.toString());
  }
}
