package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.OTHER_CLUSTER;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.FakeNamespace;
import org.weft.client.fake.ScriptedSysmgr;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.process.Await;

/** The blocking side over real threads and sockets, with daemons in memory. */
class WeftFilesTest {
  private static final int OSDS = 3;
  private static final byte[] KEY = new byte[32];
  private static final Endpoint ANY_PORT = new Endpoint("127.0.0.1", 0);

  private final SystemEnvironment system = SystemEnvironment.create();
  private final Environment environment = system.environment();
  private final OwnedExecutor commands = environment.scheduler().newPool("osd", 4, 10_000);
  private final FakeNamespace namespace = new FakeNamespace(KEY, Layout.of(2, 1));
  private final FakeManager manager = new FakeManager(CLUSTER, 10_000, 8, namespace);
  private final List<FakeOsd> osds = new ArrayList<>();
  private ScriptedSysmgr member;
  private WeftClient client;
  private WeftFiles files;

  @BeforeEach
  void start() throws IOException {
    manager.startAt(environment.transport(), ANY_PORT);
    ClusterTable.Builder table = FakeClusterWorld.table(1, manager.address(), 0).toBuilder();
    for (int id = 1; id <= OSDS; id++) {
      FakeOsd osd = FakeOsd.start(new OsdId(id), CLUSTER, environment.transport(), commands, KEY);
      osds.add(osd);
      table.addOsds(
          OsdRow.newBuilder()
              .setOsdId(id)
              .setState(NodeState.UP)
              .addAddresses(
                  AddressMessage.newBuilder()
                      .setHost(osd.address().host())
                      .setPort(osd.address().port())));
    }
    member = new ScriptedSysmgr(CLUSTER, table.build());
    member.startAt(environment.transport(), ANY_PORT);
    client = Blocking.await(WeftClient.connect(options().build(), environment));
    files = client.files();
  }

  @AfterEach
  void stop() {
    client.close();
    system.close();
    commands.close();
  }

  private ClientOptions.Builder options() {
    return ClientOptions.builder(List.of(member.address()), "ann", Runnable::run);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void streamsCarryFilesBothWays() throws IOException {
    byte[] bytes = random(10_000_007);
    FileStatus status = files.write(WeftPath.of("/big"), new ByteArrayInputStream(bytes));
    assertEquals(bytes.length, status.sizeBytes());
    try (WeftInputStream stream = files.open(WeftPath.of("/big"))) {
      assertArrayEquals(bytes, stream.readAllBytes());
      stream.seek(5_000_000);
      assertEquals(bytes[5_000_000] & 0xff, stream.read());
    }
  }

  @Test
  void manyThreadsShareOneClient() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int number = 0; number < 64; number++) {
        WeftPath path = WeftPath.of("/f" + number);
        byte[] bytes = random(number * 9_001);
        done.add(threads.submit(() -> writeAndRead(path, bytes)));
      }
      for (Future<?> each : done) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
    assertEquals(64, files.listAll(WeftPath.ROOT).size());
    assertEquals(List.of(), manager.stale());
  }

  private Void writeAndRead(WeftPath path, byte[] bytes) throws IOException {
    var unused = files.write(path, new ByteArrayInputStream(bytes));
    try (WeftInputStream stream = files.open(path)) {
      assertArrayEquals(bytes, stream.readAllBytes(), path.toString());
    }
    return null;
  }

  @Test
  void aDegradedFileReadsAsBefore() throws IOException {
    byte[] bytes = random(3_000_000);
    var unused = files.write(WeftPath.of("/f"), new ByteArrayInputStream(bytes));
    osds.get(0).stop();
    try (WeftInputStream stream = files.open(WeftPath.of("/f"))) {
      assertArrayEquals(bytes, stream.readAllBytes());
    }
  }

  @Test
  void findReturnsEmptyAndReadFailsForAMissingFile() throws IOException {
    WeftException failure =
        assertThrows(WeftException.class, () -> files.open(WeftPath.of("/nowhere")));
    assertEquals(ErrorCode.NOT_FOUND, failure.code());
    // Over a real transport, which names the peer in front of its words.
    assertEquals("/nowhere: no such file", failure.getMessage());
    assertTrue(files.find(WeftPath.ROOT).isPresent());
    assertEquals(List.of(), files.listAll(WeftPath.ROOT));
  }

  @Test
  void closingTellsTheManagerAndEndsEverything() throws IOException {
    WeftOutputStream open = files.create(WeftPath.of("/f"), CreateOptions.newFile());
    open.write(1);
    assertEquals(1, manager.sessionCount());
    client.close();
    assertEquals(0, manager.sessionCount());
    WeftException closed = assertThrows(WeftException.class, () -> files.attributes(WeftPath.ROOT));
    assertEquals(ErrorCode.CANCELLED, closed.code());
    assertThrows(IOException.class, open::close);
  }

  @Test
  void aFailedConnectLeavesNoThreadBehind() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    for (int attempt = 0; attempt < 3; attempt++) {
      ExecutionException failure =
          assertThrows(
              ExecutionException.class,
              () ->
                  WeftClient.connect(options().clusterId(OTHER_CLUSTER).build(), environment)
                      .get());
      assertEquals(ErrorCode.WRONG_CLUSTER, WeftException.of(failure).code());
    }
    Await.until(20, () -> threadsSince(before).toString(), () -> threadsSince(before).isEmpty());
  }

  /** Threads that end others end by themselves when they have had nothing to do for a while. */
  private static List<Thread> threadsSince(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weft-") && !before.contains(thread))
        .filter(thread -> !thread.getName().startsWith("weft-client-end"))
        .filter(thread -> !thread.getName().startsWith("weft-wire"))
        .toList();
  }
}
