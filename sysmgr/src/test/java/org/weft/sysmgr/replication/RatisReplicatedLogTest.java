package org.weft.sysmgr.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.StageResults;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.testkit.process.Await;

/** The log on Ratis keeps the contract with one member. */
@Execution(ExecutionMode.CONCURRENT)
final class RatisReplicatedLogTest extends ReplicatedLogContract {
  private static final UUID GROUP = UUID.nameUUIDFromBytes(new byte[] {1});
  private static final int SNAPSHOT_EVERY = 25;

  @TempDir Path directory;

  private RatisOptions options(Endpoint listen) {
    return new RatisOptions(
        directory,
        GROUP,
        1,
        List.of(new ReplicatedLog.Member(1, RPC, listen)),
        RPC,
        listen,
        SNAPSHOT_EVERY);
  }

  @Override
  ReplicatedLog open(ReplicatedLog.Machine machine) throws Exception {
    ReplicatedLog log =
        RatisReplicatedLog.start(
            options(new Endpoint("127.0.0.1", 0)), machine, new SplittableRandom(1));
    Await.until("the only member leads", log::isLeader);
    return log;
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      RatisOptions options = options(new Endpoint("127.0.0.1", taken.getLocalPort()));
      IOException failure =
          assertThrows(
              IOException.class,
              () -> RatisReplicatedLog.start(options, new ListMachine(), new SplittableRandom(1)));
      assertTrue(
          failure.getMessage().contains("port " + taken.getLocalPort()), failure::getMessage);
    }
  }

  @Test
  void closingCompletesTheEndOfTheLog() throws Exception {
    RatisReplicatedLog log =
        RatisReplicatedLog.start(
            options(new Endpoint("127.0.0.1", 0)), new ListMachine(), new SplittableRandom(1));
    Await.until("the only member leads", log::isLeader);
    assertEquals("1:a", proposed(log, "a"));
    log.close();
    StageResults.get(log.ended());
  }
}
