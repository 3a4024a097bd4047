package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.cluster.SysmgrLink;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.backup.WarmDoubt;
import org.weft.metadata.backup.WarmOptions;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.serving.VolumeHost;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.BeginCopyRequest;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.PartitionKeys;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.WorkingKey;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** How often SysMgr is asked for a volume that cannot be served, or is not yet to be opened. */
class VolumeKeeperTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final VolumeRow ROW =
      VolumeRow.newBuilder().setVolumeId(7).setManagerId(3).setPath("/v").build();

  private static final byte[] TOKEN = new byte[32];

  @TempDir private Path folder;
  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final Map<Long, VolumeHost> hosts = new TreeMap<>();
  private final OwnedExecutor home = time.newSerialExecutor("home");
  private ClusterTable table = ClusterTable.newBuilder().addVolumes(ROW).build();
  private AcquireVolumesReply given = AcquireVolumesReply.getDefaultInstance();
  private Optional<WeftException> refusal = Optional.empty();
  private int asked;
  private int opened;
  private DataDirectory directory;
  private BackupCopies copies;
  private VolumeKeeper keeper;

  @BeforeEach
  void start() throws IOException {
    RpcListener sysmgr =
        time.await(
            wire.listen(
                    new Endpoint("sysmgr", 7300),
                    ListenOptions.of(() -> Optional.of(CLUSTER), "sysmgr", 0),
                    request -> {
                      asked++;
                      // Else its answers count for nothing.
                      assertTrue(request.signedWith(TOKEN));
                      refusal.ifPresentOrElse(request::fail, () -> request.reply(given));
                    })
                .toCompletableFuture());
    SysmgrCalls calls =
        new SysmgrCalls(
            new SysmgrLink(
                wire,
                List.of(sysmgr.address()),
                () -> Optional.of(CLUSTER),
                "manager",
                1_000,
                home),
            TOKEN);
    directory = new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT);
    copies =
        new BackupCopies(
            environment,
            directory,
            () -> Optional.of(CLUSTER),
            new byte[32],
            id -> false,
            WarmOptions.DEFAULT);
    keeper =
        new VolumeKeeper(
            environment,
            home,
            calls,
            directory,
            copies,
            hosts,
            () ->
                new ManagerIdentity("identity", Optional.of(CLUSTER), 3, 1, List.of(9L), "", true),
            3,
            CacheLimits.DEFAULT,
            1,
            failure -> {
              throw new AssertionError(failure);
            });
  }

  @AfterEach
  void stop() throws IOException {
    keeper.stop();
    directory.close();
  }

  private void begin() {
    home.execute(
        () ->
            keeper.begin(
                AcquireVolumesReply.getDefaultInstance(),
                table,
                (assignment, warm) -> {
                  opened++;
                  throw new AssertionError("it cannot be served");
                }));
  }

  private void seconds(int count) {
    time.pass(TimeUnit.SECONDS.toNanos(count));
  }

  private void tableSays(ClusterTable changed) {
    home.execute(() -> keeper.tableChanged(changed));
  }

  @Test
  void unservableVolumeIsAskedForAgainAfterPauses() {
    // It comes without a key.
    given =
        AcquireVolumesReply.newBuilder()
            .addVolumes(AcquiredVolume.newBuilder().setVolume(ROW))
            .build();
    begin();
    seconds(3);
    assertTrue(asked >= 5 && asked <= 11, asked + " times in 3 s");
    tableSays(ClusterTable.getDefaultInstance());
    seconds(1);
    int before = asked;
    seconds(3);
    assertEquals(before, asked, "it is gone");
  }

  @Test
  void volumeOfAnotherManagerIsNotRequestedAgain() {
    refusal = Optional.of(new WeftException(ErrorCode.UNAVAILABLE, "taking over"));
    begin();
    seconds(3);
    assertTrue(asked >= 5, asked + " times in 3 s");
    tableSays(
        ClusterTable.newBuilder().addVolumes(ROW.toBuilder().setManagerId(4).setEpoch(2)).build());
    seconds(1);
    int before = asked;
    seconds(3);
    assertEquals(before, asked, "it is manager 4's");
    tableSays(ClusterTable.newBuilder().addVolumes(ROW.toBuilder().setEpoch(3)).build());
    seconds(1);
    assertTrue(asked > before, "it is given to this one again");
  }

  @Test
  void volumeIsNotOpenedWhileItsCopyMayBeWritten() {
    given = servable();
    copies.close();
    begin();
    seconds(3);
    assertTrue(hosts.isEmpty());
    assertTrue(asked >= 5 && asked <= 11, asked + " times in 3 s");
  }

  /** Its making failed, and was undone, while this manager was on its way to it. */
  @Test
  void aVolumeThatIsGoneWhenItsKeysComeIsNotOpened() {
    given = servable();
    begin();
    tableSays(ClusterTable.getDefaultInstance());
    seconds(3);
    assertEquals(1, asked);
    assertEquals(0, opened);
  }

  @Test
  void failedVolumeHostIsRetried() {
    given = servable();
    begin();
    seconds(3);
    assertTrue(opened >= 5 && opened <= 11, opened + " times in 3 s");
    assertTrue(hosts.isEmpty());
  }

  private static AcquireVolumesReply servable() {
    return AcquireVolumesReply.newBuilder()
        .addVolumes(
            AcquiredVolume.newBuilder()
                .setVolume(ROW.toBuilder().setEpoch(1))
                .setKeys(
                    PartitionKeys.newBuilder()
                        .addKeys(
                            WorkingKey.newBuilder()
                                .setVersion(1)
                                .setKey(ByteString.copyFrom(new byte[32])))))
        .build();
  }

  @Test
  void warmStateIsDroppedWhenTheVolumeHasAnotherBackup() {
    RpcListener listener =
        time.await(
            wire.listen(
                    new Endpoint("manager", 7310),
                    ListenOptions.of(() -> Optional.of(CLUSTER), "manager", 0),
                    copies::handle)
                .toCompletableFuture());
    RpcConnection primary =
        time.await(
            wire.connect(listener.address(), ConnectOptions.to(Optional.of(CLUSTER), "primary"))
                .toCompletableFuture());
    BeginCopyRequest copy =
        BeginCopyRequest.newBuilder()
            .setCopy(CopyIdentity.newBuilder().setVolumeId(7).setEpoch(1).setAttempt(1))
            .setSuperuser("weft")
            .build();
    time.await(primary.call(RpcRequest.signed(Opcode.BEGIN_COPY, copy, 1_000, new byte[32])))
        .payload()
        .release();
    table = rowOf(4, 3);
    begin();
    seconds(1);
    assertEquals(0, letGo(), "it is the backup");
    tableSays(rowOf(4, 5));
    seconds(1);
    assertEquals(1, letGo());
  }

  private static ClusterTable rowOf(int primary, int backup) {
    return ClusterTable.newBuilder()
        .addVolumes(ROW.toBuilder().setManagerId(primary).setBackupId(backup))
        .build();
  }

  private long letGo() {
    return copies.warmCounts().thrownAway().get(WarmDoubt.NOT_NAMED);
  }
}
