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
  private final HeldCalls held = new HeldCalls(time);
  private final List<CompletableFuture<String>> asked = new ArrayList<>();

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
}
