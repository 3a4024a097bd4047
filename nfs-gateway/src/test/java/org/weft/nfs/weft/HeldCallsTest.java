package org.weft.nfs.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.PartitionId;
import org.weft.testkit.sim.VirtualTime;

/** Calls that wait for a volume that is away leave room for calls for others. */
class HeldCallsTest {
  private static final InetAddress CLIENT = InetAddress.getLoopbackAddress();
  private static final PartitionId AWAY = new PartitionId(1);
  private static final PartitionId THERE = new PartitionId(2);

  private final VirtualTime time = new VirtualTime(1);
  private final HeldCalls held = new HeldCalls(time, time);
  private final List<CompletableFuture<String>> asked = new ArrayList<>();
  private final List<String> late = new ArrayList<>();

  private CompletableFuture<String> call(PartitionId volume) {
    return held.carryOut(
        CLIENT,
        volume,
        () -> {
          CompletableFuture<String> call = new CompletableFuture<>();
          asked.add(call);
          return call;
        });
  }

  @Test
  void callsForAnAbsentVolumeAreBoundedAndFurtherOnesRefused() {
    for (int i = 0; i < HeldCalls.MAX; i++) {
      assertFalse(call(AWAY).isDone());
    }
    assertFalse(call(AWAY).isDone(), "many at once are not many that wait");
    time.pass(TimeUnit.SECONDS.toNanos(3));
    int before = asked.size();
    assertTrue(call(AWAY).isCompletedExceptionally());
    assertEquals(before, asked.size());
    assertFalse(call(THERE).isDone());
    asked.forEach(each -> each.complete("done"));
    assertFalse(call(AWAY).isDone(), "it is back");
  }

  private CompletableFuture<String> call(PartitionId volume, int dataBytes) {
    return held.carryOut(
        CLIENT,
        volume,
        dataBytes,
        () -> {
          CompletableFuture<String> call = new CompletableFuture<>();
          asked.add(call);
          return call;
        },
        late::add);
  }

  private void pass(int seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static long waiting(List<CompletableFuture<String>> calls) {
    return calls.stream().filter(each -> !each.isDone()).count();
  }

  @Test
  void aVolumeThatAnswersOtherCallsIsNotAway() {
    for (int i = 0; i < HeldCalls.MAX; i++) {
      assertFalse(call(THERE).isDone());
    }
    pass(3);
    asked.get(1).complete("answered");
    assertFalse(call(THERE).isDone());
    assertFalse(call(THERE).isDone(), "one call waits for long, such as for a lock");
    assertFalse(call(THERE, 1 << 20).isDone());
    pass(3);
    asked.get(2).completeExceptionally(NfsFailures.later("no reply in time"));
    assertTrue(call(THERE).isCompletedExceptionally(), "giving up is no answer");
  }

  @Test
  void dataForAnAbsentVolumeIsRefusedAtOnce() {
    assertFalse(call(AWAY).isDone());
    pass(3);
    assertTrue(call(AWAY, 1).isCompletedExceptionally());
    assertFalse(call(AWAY).isDone(), "without data it waits");
    assertFalse(call(THERE, 1 << 20).isDone());
    asked.get(0).complete("it is back");
    assertFalse(call(AWAY, 1 << 20).isDone());
  }

  @Test
  void waitingDataOfAnAbsentVolumeIsGivenUpToABound() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      calls.add(call(AWAY, 1 << 20));
    }
    pass(1);
    assertEquals(16, waiting(calls), "many at once are not many that wait");
    pass(2);
    assertEquals(HeldCalls.MAX_BYTES >> 20, waiting(calls));
    asked.forEach(each -> each.complete("done"));
    assertEquals(0, waiting(calls));
    assertEquals(16 - (HeldCalls.MAX_BYTES >> 20), late.size(), "results of what was given up");
  }

  @Test
  void dataOfASlowVolumeIsNotGivenUp() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      calls.add(call(THERE, 1 << 20));
    }
    for (int i = 0; i < 8; i++) {
      pass(1);
      asked.get(i).complete("done");
    }
    assertEquals(8, waiting(calls));
    assertTrue(calls.stream().noneMatch(CompletableFuture::isCompletedExceptionally));
    pass(3);
    assertEquals(HeldCalls.MAX_BYTES >> 20, waiting(calls), "now it is away");
  }
}
