package org.weft.osd.crowd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.crowd.SmallOsdProcess.Held;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.process.Await;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/**
 * A thousand clients that ask for 1.4 TiB of answers and take next to nothing of them, or announce
 * 1.2 GiB of writes and send next to nothing: an OSD of 160 MiB of heap and 128 MiB outside it goes
 * on serving other clients, and has everything back when the thousand are gone (DESIGN 7.7).
 */
@Tag("long")
@Timeout(300)
class SlowCrowdTest {
  private static final int CLIENTS = 1_000;
  private static final int HEAP_MIB = 160;
  private static final int DIRECT_MIB = 128;
  private static final long HELD_BOUND_BYTES = 200L << 20;

  /** What is held when all are gone: an idle OSD, and buffers kept for the next ones. */
  private static final long LEFT_BOUND_BYTES = 110L << 20;

  private static final long OBJECT = 500;
  private static final int OBJECT_BYTES = 8 << 20;
  private static final int ROUNDS = 60;
  private static final int ROUNDS_OF_A_LOOK = 10;

  @TempDir Path directory;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final FakeCluster cluster = FakeCluster.seeded(7).heartbeatMillis(200);
  private final Caps caps = new Caps(cluster);
  private FakeSysmgr sysmgr;
  private Scheduler.OwnedExecutor mover;
  private SmallOsdProcess osd;

  @BeforeEach
  void start() throws IOException {
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
    mover = system.environment().scheduler().newSerialExecutor("crowd");
    osd =
        SmallOsdProcess.start(
            directory, sysmgr.address(), cluster.joinToken(), HEAP_MIB, DIRECT_MIB);
  }

  @AfterEach
  void stop() throws Exception {
    osd.close();
    mover.close();
    sysmgr.close();
    system.close();
  }

  @Test
  void aThousandSlowClientsDoNotFillMemoryOrBlockOthers() throws Exception {
    Endpoint address = osd.awaitReady();
    OsdCaller early = connect(address);
    write(early, OBJECT, Blocks.random(1, OBJECT_BYTES));
    early.read(caps.client(OBJECT, 1), OBJECT, 0, OBJECT_BYTES);
    serve(early, 0);
    long socketsBefore = osd.sockets();
    long threadsBefore = osd.threads();

    try (SlowCrowd crowd =
        new SlowCrowd(address, cluster.clusterId(), caps, CLIENTS, OBJECT, OBJECT_BYTES)) {
      crowd.begin(mover);
      Await.that(() -> crowd.rounds() > 3);
      OsdCaller late = connect(address);
      for (int round = 1; round <= ROUNDS; round++) {
        serve(round % 2 == 0 ? early : late, round);
        if (round % ROUNDS_OF_A_LOOK == 0) {
          look(crowd, socketsBefore, threadsBefore);
        }
      }
      assertTrue(early.remove(caps.manager(1), OBJECT, 10).getExisted());
      late.connection().close();
    }

    Await.that(() -> sockets() <= socketsBefore);
    Await.that(() -> held().bytes() < LEFT_BOUND_BYTES);
    // What they were reading was pinned for them: now its space is free again.
    Await.that(() -> usedBytes(early) < OBJECT_BYTES);
    serve(early, ROUNDS + 1);
    assertTrue(osd.log().contains("came too slowly while others waited"), osd.log());
    assertFalse(osd.log().contains("OutOf"), osd.log());
    early.connection().close();
  }

  private void look(SlowCrowd crowd, long socketsBefore, long threadsBefore) throws IOException {
    Held held = osd.held();
    assertTrue(held.bytes() < HELD_BOUND_BYTES, () -> held + " held for " + crowd.standing());
    assertTrue(osd.sockets() <= socketsBefore + CLIENTS + 10, "sockets are left open");
    assertTrue(osd.threads() <= threadsBefore + 10, "clients are given threads");
  }

  private OsdCaller connect(Endpoint address) throws IOException {
    var options = ConnectOptions.to(Optional.of(cluster.clusterId()), "client");
    return new OsdCaller(
        OsdCaller.wait(
            system.environment().transport().connect(address, options).toCompletableFuture()));
  }

  /** A small and a large object are written, read back, and removed. */
  private void serve(OsdCaller caller, int round) throws IOException {
    for (int lengthBytes : new int[] {64 << 10, 1 << 20}) {
      long object = 10_000 + 2L * round + (lengthBytes >> 20);
      byte[] bytes = Blocks.random(object, lengthBytes);
      write(caller, object, bytes);
      var read = caller.read(caps.client(object, 1), object, 0, lengthBytes);
      assertArrayEquals(bytes, read.bytes());
      assertTrue(caller.remove(caps.manager(1), object, 10).getExisted());
    }
  }

  private void write(OsdCaller caller, long object, byte[] bytes) throws IOException {
    var request = OsdCaller.writeOf(object, 1, 1, 0, bytes).setCreate(OsdCaller.TAG);
    caller.write(caps.client(object, 1), request, bytes);
  }

  private long sockets() {
    return unchecked(osd::sockets);
  }

  private Held held() {
    return unchecked(osd::held);
  }

  private static long usedBytes(OsdCaller caller) {
    return unchecked(() -> caller.status().getUsedBytes());
  }

  private interface Question<T> {
    T ask() throws IOException;
  }

  private static <T> T unchecked(Question<T> question) {
    try {
      return question.ask();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
