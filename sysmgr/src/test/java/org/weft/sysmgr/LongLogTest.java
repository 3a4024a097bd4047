package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.testkit.process.Await;

/**
 * Many changes leave no more on the disk than a few: {@code -Dweft.sysmgr.changes=1000000} says how
 * many, and prints what the log takes and how long a start lasts.
 */
@EnabledIfSystemProperty(named = "weft.sysmgr.changes", matches = "\\d+")
final class LongLogTest {
  private static final int CHANGES = Integer.getInteger("weft.sysmgr.changes", 0);
  private static final int UNDER_WAY = 200;
  private static final int NODES = 50;
  private static final long MAX_BYTES = 32L << 20;

  @TempDir Path root;

  private RatisReplicatedLog open(ReplicatedConfiguration machine) throws IOException {
    Endpoint any = new Endpoint("127.0.0.1", 0);
    return RatisReplicatedLog.start(
        new RatisOptions(
            root,
            new UUID(1, 1),
            1,
            List.of(new ReplicatedLog.Member(1, any, any)),
            any,
            any,
            RatisOptions.DEFAULT_SNAPSHOT_EVERY),
        machine,
        new SplittableRandom(1));
  }

  private static byte[] join(int change) {
    return CommandCodec.encode(
        Joins.of(
            NodeKey.Kind.OSD,
            "osd-identity-" + change % NODES,
            "",
            0,
            List.of(new Endpoint("host", 10_000 + change % NODES)),
            "host",
            change / NODES + 1,
            1L << 40,
            false,
            change));
  }

  private long bytes() throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private void changes(RatisReplicatedLog log, int from, int to) throws Exception {
    Deque<CompletionStage<byte[]>> underWay = new ArrayDeque<>();
    for (int change = from; change < to; change++) {
      if (underWay.size() == UNDER_WAY) {
        var unused = underWay.removeFirst().toCompletableFuture().get(60, TimeUnit.SECONDS);
      }
      underWay.add(log.propose(join(change)));
    }
    for (CompletionStage<byte[]> each : underWay) {
      var unused = each.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  private void report(int changes) throws Exception {
    long bytes = bytes();
    long beganNanos = System.nanoTime();
    try (RatisReplicatedLog log = open(new ReplicatedConfiguration())) {
      Await.until("it leads", log::isLeader);
      System.out.printf(
          "after %,d changes: %,d bytes on disk, leads %,d ms after its start%n",
          changes, bytes, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
    }
    assertTrue(bytes < MAX_BYTES, () -> "the log takes " + bytes + " bytes");
  }

  @Test
  void snapshotsKeepTheLogSmall() throws Exception {
    int done = 0;
    for (int until : new int[] {Math.min(1_000, CHANGES), CHANGES}) {
      try (RatisReplicatedLog log = open(new ReplicatedConfiguration())) {
        Await.until("it leads", log::isLeader);
        if (done == 0) {
          var unused =
              log.propose(
                      CommandCodec.encode(
                          new Command.Format(
                              new org.weft.protocol.id.ClusterId(
                                  "0123456789abcdef0123456789abcdef"),
                              "test",
                              org.weft.sysmgr.configuration.cluster.Secret.of(new byte[32]),
                              "root",
                              org.weft.sysmgr.configuration.cluster.Secret.of(new byte[32]),
                              1)))
                  .toCompletableFuture()
                  .get(60, TimeUnit.SECONDS);
        }
        changes(log, done, until);
      }
      done = until;
      report(done);
    }
  }
}
