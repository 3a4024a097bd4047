package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
 * DESIGN 5: a store opens after {@code kill -9} at any instruction with every acknowledged write
 * present and every block owned or free. More rounds with {@code -Dweft.kill.rounds}, another
 * course of events with {@code -Dweft.kill.seed}.
 */
class OsdKillTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 2);
  private static final long SEED = Long.getLong("weft.kill.seed", 20_261_120L);
  private static final int CLIENTS = 5;
  private static final int MAX_ACKNOWLEDGED = 1_500;
  private static final int END_SECONDS = 60;
  private static final long MANAGED_VOLUME = 2;

  @TempDir Path directory;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final SystemEnvironment system = SystemEnvironment.create();
  private final FakeCluster cluster = FakeCluster.seeded(SEED).heartbeatMillis(50);
  private FakeSysmgr sysmgr;
  private Scheduler.OwnedExecutor threads;
  private final List<ClientLoad> clients = new ArrayList<>();
  private ManagerLoad manager;
  private OsdProcess osd;

  @BeforeEach
  void start() {
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
    threads = system.environment().scheduler().newPool("load", CLIENTS + 1, CLIENTS + 1);
    cluster.addVolume(MANAGED_VOLUME, "/managed");
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new ClientLoad(random.split(), new Caps(cluster), 1_000_000L * (i + 1)));
    }
    manager = new ManagerLoad(random.split(), new Caps(cluster, MANAGED_VOLUME));
  }

  @AfterEach
  void stop() throws Exception {
    if (osd != null && osd.isAlive()) {
      osd.kill();
    }
    threads.close();
    sysmgr.close();
    system.close();
  }

  @Test
  void everythingAcknowledgedSurvivesKill() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      if (random.nextInt(4) == 0) {
        killDuringStart();
      }
      killUnderLoad();
      Offline.assertSound(data());
    }
    OsdCaller caller = startAndVerify();
    caller.connection().close();
    osd.stop();
    Offline.assertSound(data());
    long writes = clients.stream().mapToLong(ClientLoad::acknowledged).sum();
    assertTrue(writes > 0 && manager.acknowledged() > 0, "there was no load");
    System.out.printf(
        "kill test: %d rounds, seed %d, %d client changes and %d manager batches verified%n",
        ROUNDS, SEED, writes, manager.acknowledged());
  }

  private Path data() {
    return directory.resolve("osd");
  }

  private OsdProcess launch() throws Exception {
    return OsdProcess.start(
        data(), directory.resolve("scratch"), sysmgr.address(), cluster.joinToken());
  }

  /** Somewhere between the first instruction and the moment it serves. */
  private void killDuringStart() throws Exception {
    int joins = cluster.joins().size();
    osd = launch();
    Await.that(() -> cluster.joins().size() > joins);
    osd.kill();
  }

  private OsdCaller startAndVerify() throws Exception {
    osd = launch();
    Endpoint address = osd.awaitReady();
    var options = ConnectOptions.to(Optional.of(cluster.clusterId()), "client");
    var connection =
        OsdCaller.wait(
            system.environment().transport().connect(address, options).toCompletableFuture());
    OsdCaller caller = new OsdCaller(connection);
    for (ClientLoad client : clients) {
      client.verify(caller);
    }
    manager.verify(caller);
    return caller;
  }

  private void killUnderLoad() throws Exception {
    OsdCaller caller = startAndVerify();
    CountDownLatch enough = new CountDownLatch(1 + random.nextInt(MAX_ACKNOWLEDGED));
    AtomicBoolean goesOn = new AtomicBoolean(true);
    List<CompletableFuture<Void>> loads = new ArrayList<>();
    for (ClientLoad client : clients) {
      loads.add(load(() -> client.run(caller, goesOn::get, enough::countDown)));
    }
    loads.add(load(() -> manager.run(caller, goesOn::get, enough::countDown)));
    Await.that(() -> enough.getCount() == 0 || loads.stream().anyMatch(CompletableFuture::isDone));
    osd.kill();
    goesOn.set(false);
    for (CompletableFuture<Void> load : loads) {
      load.get(END_SECONDS, TimeUnit.SECONDS);
    }
    caller.connection().close();
    assertEquals(0, enough.getCount(), "the load came to a halt");
  }

  private CompletableFuture<Void> load(Runnable body) {
    return CompletableFuture.runAsync(body, threads);
  }
}
