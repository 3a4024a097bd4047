package org.weft.metadata.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdLook;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.UnreachedOsd;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** Which OSDs give a manager a sign of life (P 5.8). */
class ReachedOsdsTest {
  private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final VirtualTime time = new VirtualTime(1);
  private final Environment environment =
      new Environment(
          time, time, time, new SplittableRandom(1), new VirtualWire(time, 1), () -> "boot");
  private final OwnedExecutor home = time.newSerialExecutor("home");
  private final Set<Integer> cutOff = new TreeSet<>();

  /** OSDs that do not answer the first time they are asked. */
  private final Set<Integer> late = new TreeSet<>();

  /** How often each was asked. */
  private final SortedMap<Integer, Integer> counts = new TreeMap<>();

  private int underWay;
  private int mostUnderWay;
  private ClusterTable table = table(6, 1);
  private final ReachedOsds reached = new ReachedOsds(this::ask, environment, home);

  private static ClusterTable table(int osds, long incarnation) {
    ClusterTable.Builder table = ClusterTable.newBuilder();
    for (int osd = 1; osd <= osds; osd++) {
      table.addOsds(
          OsdRow.newBuilder().setOsdId(osd).setIncarnation(incarnation).setState(NodeState.UP));
    }
    return table.build();
  }

  private CompletionStage<?> ask(OsdId osd, int timeoutMillis) {
    counts.merge(osd.value(), 1, Integer::sum);
    underWay++;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    boolean silent = cutOff.contains(osd.value()) || late.remove(osd.value());
    CompletableFuture<Void> answer = new CompletableFuture<>();
    long nanos = TimeUnit.MILLISECONDS.toNanos(silent ? timeoutMillis : 1);
    time.schedule(
        nanos,
        Runnable::run,
        () -> {
          underWay--;
          if (silent) {
            answer.completeExceptionally(
                new WeftException(ErrorCode.DEADLINE_EXCEEDED, "no answer"));
          } else {
            answer.complete(null);
          }
        });
    return answer;
  }

  /** Heartbeats are sent, of a manager that wants looks all the time. */
  private void pass(double seconds) {
    for (long left = (long) (seconds * 1e9); left > 0; left -= BEAT_NANOS) {
      home.execute(
          () -> {
            reached.tick();
            reached.look(table);
          });
      time.pass(BEAT_NANOS);
    }
  }

  private List<Integer> unreached() {
    return reached.words().orElseThrow().getUnreachedList().stream()
        .map(UnreachedOsd::getOsdId)
        .toList();
  }

  private long lastedMillis(int osd) {
    return reached.words().orElseThrow().getUnreachedList().stream()
        .filter(each -> each.getOsdId() == osd)
        .findFirst()
        .orElseThrow()
        .getLastedMillis();
  }

  @Test
  void silentOsdIsReportedWithTheTimeOfItsSilence() {
    assertEquals(Optional.empty(), reached.words());
    cutOff.addAll(List.of(2, 5));
    pass(1);
    assertEquals(Optional.of(OsdLook.newBuilder().setUnderWay(true).build()), reached.words());
    pass(4);
    assertEquals(List.of(2, 5), unreached());
    assertTrue(reached.lacksAny());
    pass(15);
    assertEquals(List.of(2, 5), unreached());
    assertTrue(lastedMillis(2) >= 19_000 && lastedMillis(2) <= 20_000, "" + lastedMillis(2));
    cutOff.clear();
    pass(6);
    assertEquals(List.of(), unreached());
    assertFalse(reached.lacksAny());
  }

  @Test
  void aLookBeginsFiveSecondsAfterTheOneBefore() {
    pass(60);
    assertTrue(counts.get(1) >= 11 && counts.get(1) <= 13, counts.toString());
  }

  /** A connection that was dead is replaced meanwhile. */
  @Test
  void anOsdThatAnswersTheSecondTimeIsReached() {
    late.add(3);
    pass(4);
    assertEquals(List.of(), unreached());
    assertEquals(2, counts.get(3));
  }

  @Test
  void onlyOsdsThatSysmgrCallsUpAreAsked() {
    table =
        ClusterTable.newBuilder()
            .addOsds(OsdRow.newBuilder().setOsdId(1).setState(NodeState.UP))
            .addOsds(OsdRow.newBuilder().setOsdId(2).setState(NodeState.DOWN))
            .addOsds(OsdRow.newBuilder().setOsdId(3).setState(NodeState.QUARANTINED))
            .addOsds(OsdRow.newBuilder().setOsdId(4).setState(NodeState.UP).setRemoved(true))
            .build();
    pass(3);
    assertEquals(Set.of(1, 3), counts.keySet());
  }

  @Test
  void osdsAreAskedInBoundedNumbers() {
    table = table(3 * ReachedOsds.MAX_AT_ONCE, 1);
    for (int osd = 1; osd <= 3 * ReachedOsds.MAX_AT_ONCE; osd++) {
      cutOff.add(osd);
    }
    pass(20);
    assertTrue(mostUnderWay <= ReachedOsds.MAX_AT_ONCE, mostUnderWay + " at a time");
    assertEquals(3 * ReachedOsds.MAX_AT_ONCE, unreached().size());
  }

  /** The process slept: no OSD is to blame for that. */
  @Test
  void frozenManagerCountsOneSecondOfTheFreeze() {
    cutOff.add(2);
    pass(6);
    long before = lastedMillis(2);
    time.pass(TimeUnit.SECONDS.toNanos(12));
    pass(1);
    assertTrue(lastedMillis(2) <= before + 2_000, before + " and then " + lastedMillis(2));
  }

  @Test
  void restartedOsdStartsANewSilence() {
    cutOff.add(2);
    pass(12);
    table = table(6, 2);
    pass(10);
    assertEquals(List.of(2), unreached());
    assertTrue(lastedMillis(2) < 10_000, "" + lastedMillis(2));
  }

  @Test
  void oldFindingsAreNotReported() {
    cutOff.add(2);
    pass(6);
    for (int beat = 0; beat < 60; beat++) {
      home.execute(reached::tick);
      time.pass(BEAT_NANOS);
    }
    assertEquals(Optional.empty(), reached.words());
    assertFalse(reached.lacksAny());
  }
}
