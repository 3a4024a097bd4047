package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.protocol.wire.VolumeRow;

/** Random changes of the configuration, and all that SysMgr has acknowledged of them. */
final class Acknowledged {
  private static final int BURST = 80;
  private static final int FIRST_PORT = 10_000;

  /** A kill inside of a burst. */
  @FunctionalInterface
  interface Fault {
    void happen() throws Exception;
  }

  private final SplittableRandom random;
  private final SortedMap<String, Integer> osdIds = new TreeMap<>();
  private final SortedMap<String, Long> incarnations = new TreeMap<>();
  private final SortedSet<String> volumes = new TreeSet<>();
  private long tableVersion;
  private long epoch;
  private long nonce;
  private boolean formatted;

  Acknowledged(SplittableRandom random) {
    this.random = random;
  }

  /** The newest version of the table that was seen. */
  long tableVersion() {
    return tableVersion;
  }

  /** Everything that was acknowledged is in the table. */
  void check(String where, ClusterTable table) {
    assertTrue(table.getVersion() >= tableVersion, where + ": the table's version went back");
    tableVersion = table.getVersion();
    SortedMap<String, OsdRow> rows = new TreeMap<>();
    table.getOsdsList().forEach(row -> rows.put(row.getIdentity(), row));
    osdIds.forEach(
        (identity, id) -> {
          OsdRow row = rows.get(identity);
          assertTrue(row != null, () -> where + ": " + identity + " is gone");
          assertEquals(id, row.getOsdId(), where);
          assertTrue(row.getIncarnation() >= incarnations.get(identity), where);
        });
    assertTrue(table.getVolumes(0).getEpoch() >= epoch, where + ": an epoch is gone");
    assertTrue(table.getVolumes(0).getFormatted() || !formatted, where);
    assertEquals(table.getOsdsCount(), rows.size(), where + ": an identity has two ids");
    List<String> paths = table.getVolumesList().stream().map(VolumeRow::getPath).toList();
    assertTrue(paths.containsAll(volumes), () -> where + ": of " + volumes + " only " + paths);
  }

  /** One change, which succeeds whichever member leads. */
  void change(SysmgrClient client) {
    switch (random.nextInt(5)) {
      case 0 -> acquire(client);
      case 1 -> format(client);
      case 2 -> createVolume(client);
      default -> join(client);
    }
  }

  private void acquire(SysmgrClient client) {
    assertEquals(1, client.joinManager("manager", 7310));
    long given = client.acquire(1, ++nonce);
    assertTrue(given > epoch, "an epoch was given twice");
    epoch = given;
  }

  private void join(SysmgrClient client) {
    String identity = "osd-identity-" + random.nextInt(40);
    long incarnation = incarnations.getOrDefault(identity, 0L) + 1;
    int id = client.joinOsd(identity, FIRST_PORT + random.nextInt(40_000), incarnation);
    Integer before = osdIds.put(identity, id);
    assertTrue(before == null || before == id, "an identity got another id");
    incarnations.put(identity, incarnation);
  }

  private void format(SysmgrClient client) {
    if (epoch > 0) {
      VolumeFormattedRequest done =
          VolumeFormattedRequest.newBuilder()
              .setManagerId(1)
              .setVolumeId(1)
              .setEpoch(epoch)
              .build();
      client.persist(Opcode.VOLUME_FORMATTED, done, Empty.parser());
      formatted = true;
    }
  }

  private void createVolume(SysmgrClient client) {
    if (formatted && volumes.size() < 20) {
      assertEquals(1, client.joinManager("manager", 7310));
      String path = "/v" + (volumes.size() + 1);
      CreateVolumeRequest request =
          CreateVolumeRequest.newBuilder().setUser("root").setNonce(++nonce).setPath(path).build();
      client.persist(Opcode.CREATE_VOLUME, request, VolumeOperation.parser());
      volumes.add(path);
    }
  }

  /**
   * Sends many joins at once and lets the fault happen as soon as some of them are answered, while
   * the log still works on the others. Every answer that came out counts.
   */
  void burst(Transport transport, Endpoint leader, byte[] joinToken, Fault fault) throws Exception {
    RpcConnection connection =
        StageResults.get(transport.connect(leader, ConnectOptions.to(Optional.empty(), "test")));
    SortedMap<String, Integer> answered = new ConcurrentSkipListMap<>();
    CountDownLatch faultNow = new CountDownLatch(1 + random.nextInt(BURST / 2));
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < BURST; i++) {
      String identity = "burst-identity-" + random.nextInt(1_000_000);
      JoinRequest join = SysmgrClient.join(identity, FIRST_PORT + random.nextInt(40_000), 1);
      calls.add(
          connection
              .call(RpcRequest.signed(Opcode.JOIN_OSD, join, 20_000, JoinSecret.of(joinToken)))
              .thenAccept(
                  reply -> {
                    answered.put(identity, nodeId(reply));
                    faultNow.countDown();
                  }));
    }
    assertTrue(faultNow.await(30, TimeUnit.SECONDS), "the burst is not answered");
    fault.happen();
    for (CompletableFuture<?> call : calls) {
      call.handle((done, failure) -> null).get(30, TimeUnit.SECONDS);
    }
    connection.close();
    answered.forEach(
        (identity, id) -> {
          osdIds.put(identity, id);
          incarnations.put(identity, 1L);
        });
  }

  private static int nodeId(RpcReply reply) {
    try {
      return reply.parse(JoinReply.parser()).getNodeId();
    } catch (WeftException e) {
      throw new CompletionException(e);
    }
  }
}
