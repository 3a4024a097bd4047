package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeFormattedRequest;

/**
 * A member killed again and again between and during requests: what it has acknowledged is there
 * afterwards, and its cluster, its token and its versions stay (rule 1). It takes a snapshot every
 * few entries, so kills meet those too. {@code -Dweft.kill.rounds=100} kills more often.
 */
final class SysmgrKillTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 4);
  private static final long SEED = Long.getLong("weft.kill.seed", 20_261_120L);
  private static final int REQUESTS_PER_ROUND = 8;
  private static final int BURST = 80;
  private static final int FIRST_PORT = 10_000;

  @TempDir Path root;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final SortedMap<String, Integer> osdIds = new TreeMap<>();
  private final SortedMap<String, Long> incarnations = new TreeMap<>();
  private String clusterId = "";
  private byte[] joinToken = {};
  private long tableVersion;
  private long epoch;
  private long nonce;
  private boolean formatted;

  @Test
  void whatWasAcknowledgedSurvivesEveryKill() throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create()) {
      Transport transport = system.environment().transport();
      for (int round = 0; round < ROUNDS; round++) {
        try (SysmgrProcess member = SysmgrProcess.start(root.resolve("sysmgr"));
            SysmgrClient client =
                new SysmgrClient(transport, List.of(member.address()), member.joinToken())) {
          check(round, member, client.table());
          int requests = 1 + random.nextInt(REQUESTS_PER_ROUND);
          for (int i = 0; i < requests; i++) {
            request(client);
          }
          tableVersion = client.table().getVersion();
          killInABurst(transport, member);
        }
      }
      try (SysmgrProcess member = SysmgrProcess.start(root.resolve("sysmgr"));
          SysmgrClient client =
              new SysmgrClient(transport, List.of(member.address()), member.joinToken())) {
        check(ROUNDS, member, client.table());
      }
    }
  }

  private void check(int round, SysmgrProcess member, ClusterTable table) {
    String where = "seed " + SEED + ", after kill " + round;
    if (round > 0) {
      assertEquals(clusterId, table.getClusterId(), where);
      assertArrayEquals(joinToken, member.joinToken(), where);
    }
    clusterId = table.getClusterId();
    joinToken = member.joinToken();
    assertTrue(table.getVersion() >= tableVersion, where + ": the table's version went back");
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
  }

  private void request(SysmgrClient client) {
    switch (random.nextInt(4)) {
      case 0 -> {
        assertEquals(1, client.joinManager("manager", 7310));
        long given = client.acquire(1, ++nonce);
        assertTrue(given > epoch, "an epoch was given twice");
        epoch = given;
      }
      case 1 -> format(client);
      default -> join(client);
    }
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

  /**
   * Sends many joins at once and kills the member as soon as some of them are answered, while the
   * log still works on the others. Every answer that came out counts.
   */
  private void killInABurst(Transport transport, SysmgrProcess member) throws Exception {
    RpcConnection connection =
        Waiting.get(
            transport.connect(member.address(), ConnectOptions.to(Optional.empty(), "test")));
    SortedMap<String, Integer> answered = new ConcurrentSkipListMap<>();
    int enough = 1 + random.nextInt(BURST / 2);
    CountDownLatch killNow = new CountDownLatch(enough);
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < BURST; i++) {
      String identity = "burst-identity-" + random.nextInt(1_000_000);
      JoinRequest join = SysmgrClient.join(identity, FIRST_PORT + random.nextInt(40_000), 1);
      calls.add(
          connection
              .call(
                  RpcRequest.signed(
                      Opcode.JOIN_OSD, join, 20_000, JoinSecret.of(member.joinToken())))
              .thenAccept(
                  reply -> {
                    answered.put(identity, nodeId(reply));
                    killNow.countDown();
                  }));
    }
    assertTrue(killNow.await(30, TimeUnit.SECONDS), "the burst is not answered");
    member.close();
    for (CompletableFuture<?> call : calls) {
      call.handle((done, failure) -> null).get(30, TimeUnit.SECONDS);
    }
    answered.forEach(
        (identity, id) -> {
          osdIds.put(identity, id);
          incarnations.put(identity, 1L);
        });
  }

  private static int nodeId(RpcReply reply) {
    try {
      return reply.parse(JoinReply.parser()).getNodeId();
    } catch (RpcException e) {
      throw new CompletionException(e);
    }
  }
}
