package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** When a write grant goes back, and how it comes again (P 6.5). */
class LendingTest {
  private final List<String> log = new ArrayList<>();
  private final Grant grant = new Grant();
  private long nowNanos;
  private final Lending lending = new Lending(grant, () -> nowNanos);

  /** Given back and asked for when the test says so. */
  private final class Grant implements Lending.Lent {
    private CompletableFuture<Void> returning = new CompletableFuture<>();
    private CompletableFuture<Void> asking = new CompletableFuture<>();
    private boolean busy;
    private boolean standAlone;

    @Override
    public boolean callsStandAlone() {
      return standAlone;
    }

    @Override
    public CompletableFuture<Void> giveBack() {
      log.add("give back");
      returning = new CompletableFuture<>();
      return returning;
    }

    @Override
    public CompletableFuture<Void> askAgain() {
      log.add("ask again");
      asking = new CompletableFuture<>();
      return asking;
    }

    @Override
    public boolean isIdle(long quietNanos, boolean forRepair) {
      return !busy && quietNanos >= 10;
    }
  }

  private CompletableFuture<String> call(String name) {
    return lending.call(
        () -> {
          log.add(name);
          return CompletableFuture.completedFuture(name);
        });
  }

  private void lend() {
    nowNanos += 10;
    lending.wanted(false);
    grant.returning.complete(null);
    assertTrue(lending.isLent());
  }

  @Test
  void onlyAnIdleGrantIsGivenBack() {
    CompletableFuture<Void> underWay = new CompletableFuture<>();
    CompletableFuture<Void> call = lending.call(() -> underWay);
    assertSame(underWay, call, "while it is held nothing comes between");
    nowNanos += 100;
    lending.wanted(false);
    underWay.complete(null);
    lending.wanted(false);
    nowNanos += 9;
    lending.wanted(false);
    assertEquals(List.of(), log);
    nowNanos += 1;
    grant.busy = true;
    lending.wanted(false);
    assertEquals(List.of(), log);
    grant.busy = false;
    lending.wanted(false);
    lending.wanted(false);
    assertEquals(List.of("give back"), log);
  }

  @Test
  void waitingCallsRunInOrderOnceTheGrantIsBack() {
    nowNanos += 10;
    lending.wanted(false);
    CompletableFuture<String> first = call("first");
    CompletableFuture<String> second = call("second");
    grant.returning.complete(null);
    assertEquals(List.of("give back", "ask again"), log);
    CompletableFuture<String> third = call("third");
    assertFalse(first.isDone());
    grant.asking.complete(null);
    assertEquals(List.of("give back", "ask again", "first", "second", "third"), log);
    assertEquals("first", first.join());
    assertEquals("second", second.join());
    assertEquals("third", third.join());
    assertTrue(lending.isHeld());
  }

  @Test
  void aCallWithoutNeedOfAGrantSurvivesARefusal() {
    grant.standAlone = true;
    lend();
    CompletableFuture<String> write = call("write");
    CompletableFuture<String> sync =
        lending.call(
            () -> CompletableFuture.completedFuture("held"),
            () -> CompletableFuture.completedFuture("away"));
    assertFalse(sync.isDone());
    grant.asking.completeExceptionally(new WeftException(ErrorCode.BEING_WRITTEN, "by another"));
    assertTrue(write.isCompletedExceptionally());
    assertEquals("away", sync.join());
  }

  @Test
  void aCallWithoutNeedOfAGrantRunsWithoutOne() {
    lend();
    CompletableFuture<String> flushed =
        lending.call(
            () -> CompletableFuture.completedFuture("held"),
            () -> CompletableFuture.completedFuture("away"));
    assertEquals("away", flushed.join());
    assertTrue(lending.isLent());
    assertEquals(List.of("give back"), log);
  }

  @Test
  void aCallWithoutNeedOfAGrantWaitsForItsReturn() {
    for (boolean fails : List.of(false, true)) {
      LendingTest each = new LendingTest();
      each.nowNanos += 10;
      each.lending.wanted(false);
      CompletableFuture<String> flushed =
          each.lending.call(
              () -> CompletableFuture.completedFuture("held"),
              () -> CompletableFuture.completedFuture("away"));
      assertFalse(flushed.isDone());
      if (fails) {
        each.grant.returning.completeExceptionally(new WeftException(ErrorCode.NO_SPACE, "full"));
      } else {
        each.grant.returning.complete(null);
      }
      assertEquals(fails ? "held" : "away", flushed.join());
    }
  }

  @Test
  void aGrantThatCannotBeReturnedIsKept() {
    nowNanos += 10;
    lending.wanted(false);
    CompletableFuture<String> waiting = call("waiting");
    grant.returning.completeExceptionally(new WeftException(ErrorCode.NO_SPACE, "full"));
    assertEquals("waiting", waiting.join());
    nowNanos += 100;
    lending.wanted(false);
    assertEquals(List.of("give back", "waiting"), log);
  }

  @Test
  void aFailedGrantRequestFailsWaitingCallsAndTheNextRepeatsIt() {
    lend();
    CompletableFuture<String> first = call("first");
    CompletableFuture<String> second = call("second");
    grant.asking.completeExceptionally(new WeftException(ErrorCode.BEING_WRITTEN, "by another"));
    for (CompletableFuture<String> each : List.of(first, second)) {
      CompletionException thrown = assertThrows(CompletionException.class, each::join);
      assertEquals(ErrorCode.BEING_WRITTEN, WeftException.of(thrown).code());
    }
    CompletableFuture<String> third = call("third");
    grant.asking.complete(null);
    assertEquals("third", third.join());
    assertEquals(List.of("give back", "ask again", "ask again", "third"), log);
  }

  @Test
  void aCallThatComesWhileOthersBeginFollowsThem() {
    lend();
    List<CompletableFuture<String>> late = new ArrayList<>();
    CompletableFuture<String> first =
        lending.call(
            () -> {
              log.add("first");
              late.add(call("late"));
              return CompletableFuture.completedFuture("first");
            });
    CompletableFuture<String> second = call("second");
    grant.asking.complete(null);
    assertEquals(List.of("give back", "ask again", "first", "second", "late"), log);
    assertEquals("first", first.join());
    assertEquals("second", second.join());
    assertEquals("late", late.get(0).join());
  }

  @Test
  void aCancelledWaitingCallFailsAtOnce() {
    lend();
    CompletableFuture<String> waiting = call("waiting");
    assertTrue(lending.isWaitedFor());
    lending.cancel(new WeftException(ErrorCode.CANCELLED, "given up"));
    CompletionException thrown = assertThrows(CompletionException.class, waiting::join);
    assertEquals(ErrorCode.CANCELLED, WeftException.of(thrown).code());
    grant.asking.complete(null);
    assertEquals(List.of("give back", "ask again"), log);
    assertFalse(lending.isWaitedFor());
  }

  @Test
  void aGrantThatMustStayIsNotReturned() {
    lending.stays();
    nowNanos += 100;
    lending.wanted(true);
    assertEquals(List.of(), log);
  }

  @Test
  void aCallThatThrowsIsOver() {
    assertThrows(
        IllegalStateException.class,
        () ->
            lending.call(
                () -> {
                  throw new IllegalStateException("one at a time");
                }));
    lend();
    assertEquals(List.of("give back"), log);
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  /**
   * Nothing is called without the grant, each call once and in order, and it is never given back
   * beneath one.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void behavesInAnyOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Model model = new Model(random);
    for (int step = 0; step < 200; step++) {
      model.step();
    }
    model.finish();
  }

  /** A grant that is there or not, and calls that look. */
  private static final class Model implements Lending.Lent {
    private final SplittableRandom random;
    private final List<CompletableFuture<Void>> open = new ArrayList<>();
    private final List<CompletableFuture<Integer>> told = new ArrayList<>();
    private boolean there = true;
    private int underWay;
    private int begun;
    private long nowNanos;
    private final Lending lending = new Lending(this, () -> nowNanos);

    Model(SplittableRandom random) {
      this.random = random;
    }

    private CompletableFuture<Void> later(Runnable then) {
      CompletableFuture<Void> opens = new CompletableFuture<>();
      open.add(opens);
      return opens.thenRun(then);
    }

    @Override
    public CompletableFuture<Void> giveBack() {
      assertTrue(there);
      assertEquals(0, underWay);
      return later(() -> there = false);
    }

    @Override
    public CompletableFuture<Void> askAgain() {
      assertFalse(there);
      return later(() -> there = true);
    }

    @Override
    public boolean isIdle(long quietNanos, boolean forRepair) {
      return true;
    }

    void step() {
      nowNanos++;
      switch (random.nextInt(3)) {
        case 0 -> lending.wanted(random.nextBoolean());
        case 1 -> told.add(lending.call(this::begin, null));
        default -> {
          if (!open.isEmpty()) {
            open.remove(random.nextInt(open.size())).complete(null);
          }
        }
      }
    }

    private CompletableFuture<Integer> begin() {
      assertTrue(there);
      underWay++;
      int number = begun++;
      return later(() -> underWay--).thenApply(nothing -> number);
    }

    void finish() {
      while (!open.isEmpty()) {
        open.remove(0).complete(null);
      }
      for (int number = 0; number < told.size(); number++) {
        assertEquals(number, told.get(number).join());
      }
    }
  }
}
