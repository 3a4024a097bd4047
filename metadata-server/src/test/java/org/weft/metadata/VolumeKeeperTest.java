package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.cluster.SysmgrLink;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.objects.CacheLimits;
import org.weft.metadata.serving.VolumeHost;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.VolumeRow;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** How often SysMgr is asked for a volume that cannot be served. */
class VolumeKeeperTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final VolumeRow ROW =
      VolumeRow.newBuilder().setVolumeId(7).setManagerId(3).setPath("/v").build();

  @TempDir private Path folder;
  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final Map<Long, VolumeHost> hosts = new TreeMap<>();
  private int asked;

  @Test
  void aVolumeThatCannotBeServedIsAskedForNowAndThen() throws Exception {
    // It comes without a key.
    AcquireVolumesReply useless =
        AcquireVolumesReply.newBuilder()
            .addVolumes(AcquiredVolume.newBuilder().setVolume(ROW))
            .build();
    RpcListener sysmgr =
        time.await(
            wire.listen(
                    new Endpoint("sysmgr", 7300),
                    ListenOptions.of(() -> Optional.of(CLUSTER), "sysmgr", 0),
                    request -> {
                      asked++;
                      request.reply(useless);
                    })
                .toCompletableFuture());
    OwnedExecutor home = time.newSerialExecutor("home");
    SysmgrCalls calls =
        new SysmgrCalls(
            new SysmgrLink(
                wire,
                List.of(sysmgr.address()),
                () -> Optional.of(CLUSTER),
                "manager",
                1_000,
                home),
            new byte[32]);
    try (DataDirectory directory =
        new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT)) {
      VolumeKeeper keeper =
          new VolumeKeeper(
              environment,
              home,
              calls,
              directory,
              new BackupCopies(
                  environment, directory, () -> Optional.of(CLUSTER), new byte[32], id -> false),
              hosts,
              () ->
                  new ManagerIdentity(
                      "identity", Optional.of(CLUSTER), 3, 1, java.util.List.of(9L), "", true),
              3,
              CacheLimits.DEFAULT,
              1,
              refusal -> {
                throw new AssertionError(refusal);
              });
      ClusterTable table = ClusterTable.newBuilder().addVolumes(ROW).build();
      home.execute(
          () ->
              keeper.begin(
                  AcquireVolumesReply.getDefaultInstance(),
                  table,
                  assignment -> {
                    throw new AssertionError("it cannot be served");
                  }));
      time.pass(TimeUnit.SECONDS.toNanos(3));
      assertTrue(asked >= 5 && asked <= 11, asked + " times in 3 s");
      home.execute(() -> keeper.tableChanged(ClusterTable.getDefaultInstance()));
      time.pass(TimeUnit.SECONDS.toNanos(1));
      int before = asked;
      time.pass(TimeUnit.SECONDS.toNanos(3));
      assertEquals(before, asked, "it is gone");
      keeper.stop();
    }
  }
}
