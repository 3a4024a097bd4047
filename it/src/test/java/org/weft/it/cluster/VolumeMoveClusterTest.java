package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FreePorts;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * The root volume moves to a second manager and back while a client makes directories. {@code
 * -Dweft.move.rounds=N} does it more often; the longest pause of the client is printed.
 */
@Tag("long")
class VolumeMoveClusterTest {
  private static final int ROUNDS = Integer.getInteger("weft.move.rounds", 1);
  private static final int OSDS = 6;
  private static final int SECOND_MANAGER = 40;
  private static final long SECONDS = 90;

  @TempDir Path scratch;

  private WeftProcess quickstart(int base) throws Exception {
    WeftProcess process =
        WeftProcess.start(
            scratch,
            "quickstart",
            "--data",
            scratch.resolve("data").toString(),
            "--port-base",
            "" + base,
            "--capacity",
            "1g");
    process.awaitLine(line -> line.contains("is ready"));
    return process;
  }

  private WeftProcess secondManager(int base) throws Exception {
    return WeftProcess.start(
        scratch,
        "manager",
        "--data",
        scratch.resolve("manager-2").toString(),
        "--listen",
        "127.0.0.1:" + (base + SECOND_MANAGER),
        "--metrics",
        "off",
        "--set",
        "cluster.sysmgr=127.0.0.1:" + base,
        "--set",
        "cluster.join-token-file=" + scratch.resolve("data/sysmgr-1/join-token"),
        "--set",
        "security.trusted-network=true");
  }

  /** Makes one directory after another; each must succeed. */
  private static final class Load implements Runnable {
    private final WeftClient client;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger made = new AtomicInteger();
    private final List<Long> pausesMillis = new ArrayList<>();

    private Load(WeftClient client) {
      this.client = client;
    }

    @Override
    public void run() {
      try {
        while (!ended.get()) {
          long begunNanos = System.nanoTime();
          client
              .fileSystem()
              .mkdir(WeftPath.of("/load-" + made.get()), 0755)
              .get(SECONDS, TimeUnit.SECONDS);
          made.incrementAndGet();
          pausesMillis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos));
        }
      } catch (Exception e) {
        throw new AssertionError("directory " + made.get() + " was not made", e);
      }
    }
  }

  @Test
  void clientFollowsItsMovedVolume() throws Exception {
    int base = FreePorts.base(OSDS);
    WeftCli weft = new WeftCli(base);
    try (WeftProcess process = quickstart(base);
        WeftProcess second = secondManager(base);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("load");
        WeftClient client = DaemonCluster.connect(base, "load", system, callbacks)) {
      Await.until(
          SECONDS,
          () -> "the second manager is up",
          () -> weft.run("status").contains("manager-2"));
      Load load = new Load(client);
      CompletableFuture<Void> running = CompletableFuture.runAsync(load);
      for (int round = 0; round < ROUNDS; round++) {
        weft.run("volume", "move", "/", "manager-2");
        awaitMore(load, running);
        weft.run("manager", "drain", "manager-2");
        assertTrue(weft.run("status").contains("drained   manager-2, 0 volumes"));
        awaitMore(load, running);
        weft.run("manager", "undrain", "2");
      }
      load.ended.set(true);
      running.get(SECONDS, TimeUnit.SECONDS);
      String names = weft.run("fs", "ls", "/");
      long there = names.lines().filter(line -> line.contains("load-")).count();
      assertEquals(load.made.get(), there, "every directory that was acknowledged");
      System.out.println(
          "moves of a volume: "
              + 2 * ROUNDS
              + ", directories: "
              + there
              + ", longest pauses in ms: "
              + load.pausesMillis.stream()
                  .sorted((a, b) -> Long.compare(b, a))
                  .limit(4L * ROUNDS)
                  .toList());
      second.kill();
      assertEquals(0, process.stop(), process.output());
    }
  }

  private static void awaitMore(Load load, CompletableFuture<Void> running) throws Exception {
    int before = load.made.get();
    Await.until(
        SECONDS,
        () -> "the client goes on after " + before + " directories",
        () -> load.made.get() > before + 20 || running.isDone());
  }
}
