package org.weft.it.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.model.Nfs3Client;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/** NFS gateways in the processes of managers ({@code manager.nfs}). */
@Tag("long")
class BesideManagerTest {
  private static final int OSDS = 4;
  private static final int WAIT_SECONDS = 120;
  private static final int ROUNDS = 12;
  private static final int METRICS = 1_000;

  @TempDir Path scratch;

  private final Findings findings = new Findings(event -> {});
  private final ExecutorService calls = Executors.newFixedThreadPool(8);
  private final HttpClient http = HttpClient.newHttpClient();
  private DaemonCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = DaemonCluster.startWithGatewaysBeside(scratch, OSDS, 2);
    awaitExport(1);
    awaitExport(2);
  }

  /** A gateway hears of an export within about a second. */
  private void awaitExport(int number) throws Exception {
    try (HardConnection connection =
        new HardConnection("early", List.of(gateway(number)), number)) {
      Nfs3Client nfs = new Nfs3Client(connection, 0, 0);
      Await.until(
          WAIT_SECONDS,
          () -> "gateway " + number + " does not serve /",
          () -> nfs.mount("/").status == Nfs3Client.OK);
    }
  }

  @AfterEach
  void stop() throws Exception {
    calls.shutdownNow();
    cluster.close();
  }

  private InetSocketAddress gateway(int number) {
    return new InetSocketAddress("127.0.0.1", cluster.gatewayPort(number));
  }

  private HardMount mount(String name, int... gateways) {
    List<InetSocketAddress> servers =
        java.util.Arrays.stream(gateways).mapToObj(this::gateway).toList();
    return new HardMount(name, servers, "/", name.hashCode(), findings);
  }

  private String status() {
    return new WeftCli(cluster.port()).tryRun("status").output();
  }

  private void awaitStatus(String what) throws Exception {
    Await.until(WAIT_SECONDS, this::status, () -> status().contains(what));
  }

  private String metrics(int manager) throws Exception {
    URI place =
        URI.create("http://127.0.0.1:" + (cluster.managerPort(manager) + METRICS) + "/metrics");
    return http.send(HttpRequest.newBuilder(place).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void nextGatewayServesTheMountAfterAKill() throws Exception {
    try (HardMount moving = mount("moving", 1, 2);
        HardMount other = mount("other", 2)) {
      PageCacheFile file =
          new PageCacheFile("file", moving, other, moving.root(), calls, findings, 50);
      file.round();
      awaitStatus("in the process of manager-1");
      awaitStatus("in the process of manager-2");
      assertTrue(metrics(1).contains("weft_nfs_beside_up 1.0"), "figures of the gateway");
      assertTrue(metrics(1).contains("weft_manager_volumes"), "figures of the manager");
      AtomicInteger rounds = new AtomicInteger();
      AtomicBoolean over = new AtomicBoolean();
      CompletableFuture<Void> program = CompletableFuture.runAsync(() -> go(file, rounds, over));
      awaitRounds(rounds, program, ROUNDS);
      DaemonCluster.kill(cluster.manager(1));
      awaitRounds(rounds, program, rounds.get() + ROUNDS);
      assertTrue(moving.connection().connections() > 1, "it has gone to the second gateway");
      cluster.manager(1).start();
      try (HardMount again = mount("again", 1)) {
        byte[] found = again.must("LOOKUP", nfs -> nfs.lookup(again.root(), "file")).handle;
        assertTrue(found.length > 0);
      }
      over.set(true);
      program.get(WAIT_SECONDS, TimeUnit.SECONDS);
      file.finish();
      assertEquals(List.of(), findings.all());
    }
    // Manager and gateway end in order, or this fails.
    cluster.stop();
  }

  private static void go(PageCacheFile file, AtomicInteger rounds, AtomicBoolean over) {
    try {
      while (!over.get()) {
        file.round();
        rounds.incrementAndGet();
      }
    } catch (ProgramError e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitRounds(AtomicInteger rounds, CompletableFuture<Void> program, int many)
      throws Exception {
    Await.until(
        WAIT_SECONDS,
        () -> rounds + " rounds of " + many,
        () -> {
          if (program.isCompletedExceptionally()) {
            program.get();
          }
          return rounds.get() >= many;
        });
  }

  /** A port that is taken stands for all that keeps a gateway from running. */
  @Test
  void aGatewayThatDoesNotStartLeavesTheManagerAlone() throws Exception {
    cluster.manager(1).stop();
    try (ServerSocket taken =
        new ServerSocket(cluster.gatewayPort(1), 1, InetAddress.getLoopbackAddress())) {
      assertTrue(taken.isBound());
      cluster.manager(1).start();
      awaitStatus("the NFS gateway in this process does not run");
      assertTrue(status().contains("cannot listen on"), status());
      assertTrue(metrics(1).contains("weft_nfs_beside_up 0.0"), metrics(1));
      assertFalse(metrics(1).contains("weft_nfs_beside_failed_starts_total 0.0"), metrics(1));
      // It serves the volume, alone, once it has the journal of before.
      cluster.status().awaitPair(WAIT_SECONDS);
      cluster.manager(2).stop();
      WeftCli cli = new WeftCli(cluster.port());
      Await.until(
          WAIT_SECONDS,
          () -> "no directory can be made",
          () -> cli.tryRun("fs", "mkdir", "-p", "/served").exitCode() == 0);
    }
    try (HardMount mount = mount("late", 1)) {
      assertEquals(Nfs3Client.OK, mount.ask(nfs -> nfs.lookup(mount.root(), "served")).status);
    }
    Await.until(
        WAIT_SECONDS,
        this::status,
        () -> !status().contains("the NFS gateway in this process does not run"));
    cluster.manager(2).start();
  }
}
