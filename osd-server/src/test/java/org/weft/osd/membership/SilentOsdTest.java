package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.OsdAssembly;
import org.weft.osd.harness.OsdRig;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.OsdfsStore;
import org.weft.osd.store.mutation.PartitionFence;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/** An OSD whose store failed says so, and is not kept up by its heartbeats (P 5.8). */
class SilentOsdTest {
  private static final long CAPACITY_BYTES = 32L << 20;

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final RandomGenerator random = new SplittableRandom(1);
  private final StorageFaults faults = new StorageFaults();
  private final FakeCluster cluster = FakeCluster.seeded(3).heartbeatMillis(100);
  private OsdfsStore store;
  private OsdAssembly osd;

  @BeforeEach
  void start() throws Exception {
    store =
        OsdfsStore.open(
            StoreOptions.ofCapacity(CAPACITY_BYTES),
            new MemoryKeyValueStore(faults),
            new MemorySegmentDirectory(faults),
            time,
            random,
            () -> "boot");
    FakeSysmgr sysmgr = FakeSysmgr.start(wire, cluster);
    osd =
        new OsdAssembly(
            OsdRig.options(Path.of("unused"), cluster, List.of(sysmgr.address())),
            CAPACITY_BYTES,
            store,
            OptionalLong::empty,
            new Environment(time, time, time, random, wire, () -> "boot"));
    time.await(osd.begin());
    time.runUntil("it is heard", () -> cluster.lastHeartbeat(1).isPresent());
  }

  private void failWhere(StorageFaults.Kind... kinds) {
    faults.failWhere(next -> List.of(kinds).contains(next.kind()), "input/output error");
    PartitionFence fence = new PartitionFence(new PartitionId(1), 77);
    assertThrows(
        RuntimeException.class, () -> time.await(store.apply(fence).toCompletableFuture()));
    assertTrue(store.hasFailed());
  }

  /** The last heartbeat, after some seconds in which there could have been many more. */
  private HeartbeatRequest lastHeartbeat() {
    time.pass(TimeUnit.SECONDS.toNanos(5));
    return cluster.lastHeartbeat(1).orElseThrow();
  }

  @Test
  void anOsdReportsAFailureThatIsNoted() {
    failWhere(StorageFaults.Kind.KEY_WRITE);
    assertFalse(store.isSilent());
    HeartbeatRequest last = lastHeartbeat();
    assertFalse(last.getProblemsList().isEmpty());
    assertEquals(store.failure().orElseThrow(), last.getStoreFailure());
  }

  /** The SysMgr of these tests is of a release that does not listen. */
  @Test
  void anUnnotedFailureSilencesTheOsdUnderAnOlderSysmgr() {
    failWhere(StorageFaults.Kind.KEY_WRITE, StorageFaults.Kind.FOLDER_CHANGE);
    assertTrue(store.isSilent());
    HeartbeatRequest last = lastHeartbeat();
    assertEquals(store.failure().orElseThrow(), last.getStoreFailure());
    assertFalse(last.getLeaving());
    assertSame(last, lastHeartbeat(), "it is heard, and so it is never given up");
    time.await(osd.leave());
    assertTrue(cluster.lastHeartbeat(1).orElseThrow().getLeaving(), "its end may be known");
  }
}
