package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.LockHolder;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.NfsLockRow;
import org.weft.testkit.process.Await;

/** Rule 6.5f on one cluster: gateways are killed, and their clients hear of it and reclaim. */
class ReclaimTest {
  private static final int READ = 1;
  private static final int WRITE = 2;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static FakeStatusMonitor statd;
  private static NfsDaemon other;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    statd = new FakeStatusMonitor(cluster.rpc(), cluster.system().environment().clock());
    other = cluster.gatewayFor(statd.portmapPort());
  }

  @AfterAll
  static void stop() throws Exception {
    other.close();
    statd.close();
    cluster.close();
  }

  private static byte[] create(String name) {
    Nfs3Client client = cluster.connect(other.address(), 0, 0);
    Nfs3Client.Result made =
        client.create(client.mount("/").handle, name, true, Nfs3Client.Set.mode(0644));
    assertEquals(Nfs3Client.OK, made.status);
    return made.handle;
  }

  private static LockClient host(Endpoint gateway, String host, byte[] file) {
    return LockClient.connect(cluster.rpc(), gateway, host, 1, file);
  }

  private static List<LockHolder> holders(String name) {
    return cluster.client().locks().list(WeftPath.of("/" + name)).join().holders();
  }

  private static GatewayJvm gateway(int port) throws Exception {
    return GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), port, statd.portmapPort());
  }

  private static NsmMessage.Notice awaitTold() {
    Await.until("the client is told", () -> !statd.told.isEmpty());
    return statd.told.poll();
  }

  @Test
  void clientsOfAKilledGatewayAreNotifiedAndReclaim() throws Exception {
    byte[] file = create("killed");
    LockClient stranger = host(other.address(), "stranger", file);
    int port;
    try (GatewayJvm first = gateway(0)) {
      port = first.address().port();
      LockClient a = host(first.address(), "holder", file);
      assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
      assertTrue(
          ModelGateway.now(cluster.admin().show()).getWatchedList().stream()
              .anyMatch(each -> each.getName().equals("holder")),
          "it was recorded before it had the lock");
      first.kill();
    }
    statd.told.clear();
    int state;
    try (GatewayJvm second = gateway(port)) {
      NsmMessage.Notice notice = awaitTold();
      state = notice.state();
      assertEquals("127.0.0.1", notice.host());
      assertEquals(1, state & 1);
      assertRefused(stranger.exclusive(0, 10));
      LockClient a = host(second.address(), "holder", file);
      assertEquals(NlmStatus.GRANTED, a.reclaim(0, 10));
      assertFalse(holders("killed").get(0).kept());
      assertRefused(stranger.exclusive(0, 10));
      assertEquals(NlmStatus.DENIED, a.reclaim(100, 10), "it never had that");
      assertEquals(1, holders("killed").size());
      second.kill();
    }
    statd.told.clear();
    try (GatewayJvm third = gateway(port)) {
      assertTrue(awaitTold().state() > state, "a state is told once");
      LockClient a = host(third.address(), "holder", file);
      assertEquals(NlmStatus.GRANTED, a.unlock(0, 10), "although it was not reclaimed");
      assertEquals(List.of(), holders("killed"));
      assertEquals(NlmStatus.GRANTED, stranger.exclusive(0, 10));
      assertEquals(NlmStatus.GRANTED, stranger.unlock(0, 10));
    }
  }

  @Test
  void shareDenialOutlivesItsGateway() throws Exception {
    byte[] file = create("opened");
    LockClient stranger = host(other.address(), "stranger", file);
    int port;
    try (GatewayJvm first = gateway(0)) {
      port = first.address().port();
      LockClient a = host(first.address(), "opener", file);
      assertEquals(NlmStatus.GRANTED, a.share(WRITE, READ | WRITE));
      first.kill();
    }
    assertRefused(stranger.share(0, WRITE));
    try (GatewayJvm second = gateway(port)) {
      LockClient a = host(second.address(), "opener", file);
      assertEquals(NlmStatus.GRANTED, a.reclaimShare(WRITE, READ | WRITE));
      assertEquals(NlmStatus.DENIED, stranger.share(0, WRITE));
      assertEquals(NlmStatus.GRANTED, stranger.share(0, READ));
      assertEquals(NlmStatus.DENIED, a.as(2).reclaimShare(READ, 0), "it never had that");
      Await.until(
          "it is shown",
          () ->
              rows().stream()
                  .anyMatch(
                      row ->
                          row.getName().equals("opener")
                              && row.getOpened() == (READ | WRITE)
                              && row.getDenied() == WRITE));
      assertEquals(NlmStatus.GRANTED, a.unshare());
      assertEquals(NlmStatus.GRANTED, stranger.share(0, WRITE));
      assertEquals(NlmStatus.GRANTED, stranger.unshare());
    }
  }

  /** Held by another in the session of the dead gateway, or kept for its owner. */
  private static void assertRefused(NlmStatus status) {
    assertTrue(
        status == NlmStatus.DENIED || status == NlmStatus.DENIED_GRACE_PERIOD, status::toString);
  }

  @Test
  void aClientTellsByDatagramThatItHasStarted() throws Exception {
    byte[] file = create("started");
    LockClient a = host(other.address(), "sa", file);
    assertEquals(NlmStatus.GRANTED, a.inState(5, 0, 10));
    tells("sa", 3);
    assertEquals(1, holders("started").size(), "a late word of an earlier start");
    tells("sb", 7);
    assertEquals(1, holders("started").size(), "another host of that address");
    tells("sa", 7);
    assertEquals(List.of(), holders("started"));
  }

  private static void tells(String host, int state) throws Exception {
    String hex =
        HexFormat.of().formatHex(host.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    byte[] call =
        HexFormat.of()
            .parseHex(
                "%08x".formatted(state)
                    + "00000000"
                    + "00000002"
                    + "000186b8"
                    + "00000001"
                    + "00000006"
                    + "00".repeat(16)
                    + "00000002"
                    + hex
                    + "0000"
                    + "%08x".formatted(state));
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(30));
      socket.send(
          new DatagramPacket(
              call,
              call.length,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), other.address().port())));
      DatagramPacket reply = new DatagramPacket(new byte[100], 100);
      socket.receive(reply);
      assertEquals(24, reply.getLength());
    }
  }

  @Test
  void locksAndWaitsAreShown() throws Exception {
    byte[] file = create("shown");
    LockClient a = host(other.address(), "holds", file);
    LockClient b = host(other.address(), "waits", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    assertEquals(NlmStatus.BLOCKED, b.waiting(5, 0));
    Await.until(
        "both are shown",
        () ->
            rows().stream().anyMatch(row -> row.getName().equals("holds") && !row.getWaiting())
                && rows().stream()
                    .anyMatch(row -> row.getName().equals("waits") && row.getWaiting()));
    NfsLockRow row =
        rows().stream().filter(each -> each.getName().equals("holds")).findFirst().orElseThrow();
    assertEquals("/", row.getVolume());
    assertEquals(10, row.getTo());
    assertTrue(row.getExclusive());
    assertEquals("127.0.0.1", row.getClient());
    assertEquals(NlmStatus.GRANTED, b.cancel(5, 0));
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 10));
  }

  private static List<NfsLockRow> rows() {
    GetNfsReply known = ModelGateway.now(cluster.admin().showLocks());
    return known.getGatewaysList().stream().flatMap(each -> each.getLocksList().stream()).toList();
  }
}
