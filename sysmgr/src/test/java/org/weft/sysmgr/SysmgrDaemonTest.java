package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.sysmgr.storage.JoinTokenFile;

/** One member, whole: its directory, its ports, Ratis, the real transport, REST. */
@Execution(ExecutionMode.CONCURRENT)
final class SysmgrDaemonTest {
  static final Endpoint ANY = new Endpoint("127.0.0.1", 0);

  @TempDir Path root;

  private SystemEnvironment system;

  @BeforeEach
  void open() {
    system = SystemEnvironment.create();
  }

  @AfterEach
  void close() {
    system.close();
  }

  private SysmgrOptions options(Endpoint listen, Endpoint rest, Endpoint ratis) {
    return SysmgrOptions.single(root.resolve("sysmgr"), listen, rest, ratis, "test", "root");
  }

  private SysmgrDaemon start() throws IOException {
    return SysmgrDaemon.start(options(ANY, ANY, ANY), system.environment());
  }

  private SysmgrClient client(SysmgrDaemon daemon) {
    return new SysmgrClient(
        system.environment().transport(), List.of(daemon.address()), daemon.joinToken());
  }

  @Test
  void aRestartFindsEverything() throws Exception {
    ClusterId cluster;
    byte[] token;
    ClusterTable before;
    try (SysmgrDaemon daemon = start();
        SysmgrClient client = client(daemon)) {
      cluster = daemon.clusterId();
      token = daemon.joinToken();
      assertArrayEquals(
          token, JoinTokenFile.read(root.resolve("sysmgr").resolve(JoinTokenFile.NAME)));
      assertEquals(1, client.joinOsd("a", 7400, 1));
      assertEquals(1, client.joinManager("m", 7310));
      assertEquals(1, client.acquire(1, 77));
      var paused =
          client.call(
              Opcode.PAUSE_REPAIRS,
              PauseRepairsRequest.newBuilder().setUser("root").setReason("a switch").build(),
              PauseRepairsReply.parser());
      before = client.table();
      assertEquals(paused.getPause(), before.getRepairPause());
      assertEquals(cluster.value(), before.getClusterId());
    }
    try (SysmgrDaemon daemon = start();
        SysmgrClient client = client(daemon)) {
      assertEquals(cluster, daemon.clusterId());
      assertArrayEquals(token, daemon.joinToken());
      ClusterTable after = client.table();
      assertEquals(before.getOsdsList(), after.getOsdsList());
      assertEquals(before.getManagersList(), after.getManagersList());
      assertEquals(before.getVolumesList(), after.getVolumesList());
      assertEquals(before.getRepairPause(), after.getRepairPause());
      assertTrue(after.hasRepairPause());
      assertTrue(after.getVersion() >= before.getVersion());
      assertEquals(2, client.joinOsd("b", 7401, 1));
      assertEquals(2, client.acquire(1, 78));
    }
  }

  @Test
  void aTakenPortIsNamedWhicheverItIs() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Endpoint busy = new Endpoint("127.0.0.1", taken.getLocalPort());
      for (SysmgrOptions options :
          List.of(options(busy, ANY, ANY), options(ANY, busy, ANY), options(ANY, ANY, busy))) {
        IOException failure =
            assertThrows(
                IOException.class, () -> SysmgrDaemon.start(options, system.environment()));
        assertTrue(failure.getMessage().contains("port " + busy.port()), failure::getMessage);
      }
    }
    start().close();
  }

  @Test
  void aDirectoryInUseIsRefused() throws Exception {
    try (SysmgrDaemon daemon = start()) {
      IOException failure = assertThrows(IOException.class, this::start);
      assertTrue(failure.getMessage().contains("in use"), failure::getMessage);
      assertEquals(32, daemon.clusterId().value().length());
    }
  }

  @Test
  void aClientOfAnotherClusterIsRefusedAtTheHandshake() throws Exception {
    try (SysmgrDaemon daemon = start()) {
      ConnectOptions options =
          new ConnectOptions(
              Optional.of(new ClusterId("f".repeat(32))), "test", 60_000, false, (o, b) -> {});
      WeftException failure =
          StageResults.failure(
              ErrorCode.WRONG_CLUSTER,
              system.environment().transport().connect(daemon.address(), options));
      assertTrue(failure.getMessage().contains(daemon.clusterId().value()), failure::getMessage);
    }
  }
}
