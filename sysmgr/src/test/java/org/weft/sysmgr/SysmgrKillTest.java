package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterTable;

/**
 * A member killed again and again between and during requests: what it has acknowledged is there
 * afterwards, and its cluster, its token and its versions stay (rule 1). It takes a snapshot every
 * few entries, so kills meet those too. {@code -Dweft.kill.rounds=100} kills more often.
 */
final class SysmgrKillTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 2);
  private static final long SEED = Long.getLong("weft.kill.seed", 20_261_120L);
  private static final int REQUESTS_PER_ROUND = 8;

  @TempDir Path root;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Acknowledged acknowledged = new Acknowledged(random);
  private String clusterId = "";
  private byte[] joinToken = {};

  @Test
  void acknowledgedCommandsSurviveEveryKill() throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create()) {
      Transport transport = system.environment().transport();
      for (int round = 0; round < ROUNDS; round++) {
        try (SysmgrProcess member = SysmgrProcess.start(root.resolve("sysmgr"));
            SysmgrClient client =
                new SysmgrClient(transport, List.of(member.address()), member.joinToken())) {
          check(round, member, client.table());
          int requests = 1 + random.nextInt(REQUESTS_PER_ROUND);
          for (int i = 0; i < requests; i++) {
            acknowledged.change(client);
          }
          check(round, member, client.table());
          acknowledged.burst(transport, member.address(), member.joinToken(), member::close);
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
    acknowledged.check(where, table);
  }
}
