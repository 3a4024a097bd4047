package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.restore.RestoredConfiguration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.storage.MemberDirectory;

/**
 * A restore that is killed on its way, and first starts after it that are: once it is through,
 * everything of the copy is there. {@code -Dweft.kill.rounds=20} kills more starts.
 */
final class RestoreKillTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 2);
  private static final long SEED = Long.getLong("weft.kill.seed", 20_261_124L);
  private static final long MAX_MILLIS = 3_000;
  private static final String CLUSTER = "00112233445566778899aabbccddeeff";
  private static final byte[] TOKEN =
      "0123456789abcdef".repeat(4).getBytes(StandardCharsets.US_ASCII);

  @TempDir Path root;

  private static byte[] restored() throws IOException {
    ConfigurationMachine machine = new ConfigurationMachine();
    machine.apply(
        new Command.Format(
            new ClusterId(CLUSTER), "test", Secret.of(TOKEN), "root", Secret.of(new byte[32]), 1));
    machine.apply(
        new Command.Join(
            NodeKey.Kind.OSD,
            "osd-a",
            "",
            0,
            List.of(new Endpoint("127.0.0.1", 7400)),
            "host",
            1,
            1 << 30,
            false,
            1,
            "",
            StartProof.NONE,
            NodeHistory.NONE));
    Configuration copy = machine.state();
    return RestoredConfiguration.write(Restoration.restored(copy, List.of(), 2));
  }

  @Test
  void onlyAKilledRestoreIsRepeated() throws Exception {
    Path data = Files.createDirectories(root.resolve("sysmgr"));
    // As a kill between any two steps leaves it: the lock, then half of the file beside its place.
    Files.createFile(data.resolve("lock"));
    MemberDirectory.restore(Files.createDirectories(root.resolve("only-made")), restored());
    Files.write(data.resolve("restored.tmp"), new byte[] {1, 2, 3});
    MemberDirectory.restore(data, restored());
    IOException again =
        assertThrows(IOException.class, () -> MemberDirectory.restore(data, restored()));
    assertTrue(again.getMessage().contains("holds a SysMgr already"), again::getMessage);
  }

  @Test
  void aRestoredStateSurvivesKillsOfTheFirstStart() throws Exception {
    Path data = root.resolve("sysmgr");
    MemberDirectory.restore(data, restored());
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < ROUNDS; round++) {
      Process process = SysmgrProcess.launch(List.of(data.toString()));
      // It is killed at any moment of its start, or when that is over.
      boolean ended = process.waitFor(random.nextLong(MAX_MILLIS), TimeUnit.MILLISECONDS);
      assertTrue(!ended, "seed " + SEED + ", round " + round + ": it did not start");
      process.destroyForcibly().waitFor();
    }
    try (SystemEnvironment system = SystemEnvironment.create();
        SysmgrProcess member = SysmgrProcess.start(data);
        SysmgrClient client =
            new SysmgrClient(
                system.environment().transport(), List.of(member.address()), member.joinToken())) {
      ClusterTable table = client.table();
      assertEquals(CLUSTER, table.getClusterId());
      assertEquals("osd-a", table.getOsds(0).getIdentity());
      assertEquals(1_000, table.getVolumes(0).getEpoch(), "restored once");
      assertEquals(102, client.joinOsd("osd-b", 7401, 1));
    }
  }
}
