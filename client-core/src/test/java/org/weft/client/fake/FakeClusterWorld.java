package org.weft.client.fake;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFileSystem;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.volume.SessionOptions;
import org.weft.client.volume.VolumeSession;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/**
 * Virtual time, a wire, and the table of a small cluster: one manager, some OSDs, the root volume.
 */
public final class FakeClusterWorld {
  public static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  public static final ClusterId OTHER_CLUSTER = new ClusterId("ffffffffffffffffffffffffffffffff");
  public static final long ROOT_VOLUME = 1;
  public static final Endpoint MANAGER = new Endpoint("manager", 7310);
  public static final Endpoint SYSMGR_1 = new Endpoint("sysmgr-1", 7300);
  public static final Endpoint SYSMGR_2 = new Endpoint("sysmgr-2", 7301);

  public final VirtualTime time;
  public final VirtualWire wire;
  public final OwnedExecutor home;
  public final Environment environment;

  public FakeClusterWorld(long seed) {
    time = new VirtualTime(seed);
    wire = new VirtualWire(time, seed);
    home = time.newSerialExecutor("home");
    environment = new Environment(time, time, time, new SplittableRandom(seed), wire, () -> "boot");
  }

  /**
   * Starts a whole cluster: the manager, so many OSDs with that working key, and a SysMgr whose
   * table names them all.
   */
  public List<FakeOsd> start(FakeManager manager, int count, byte[] key) {
    ClusterTable.Builder table = table(1, MANAGER, 0).toBuilder();
    Executor commands = time.newPool("osd", 4, 1_000);
    List<FakeOsd> osds = new ArrayList<>();
    for (int id = 1; id <= count; id++) {
      FakeOsd osd = FakeOsd.start(new OsdId(id), CLUSTER, wire, commands, key);
      osds.add(osd);
      table.addOsds(
          OsdRow.newBuilder()
              .setOsdId(id)
              .setState(NodeState.UP)
              .addAddresses(osd.address().toMessage()));
    }
    new ScriptedSysmgr(CLUSTER, table.build()).startAt(wire, SYSMGR_1);
    manager.startAt(wire, MANAGER);
    return osds;
  }

  /** A session of ann's with the root volume, whose manager is where the directory says. */
  public VolumeSession session(ManagerDirectory directory) {
    return new VolumeSession(
        SessionOptions.of(ROOT_VOLUME, "ann", List.of("staff"), "host/1/test"),
        CLUSTER,
        directory,
        environment,
        home);
  }

  /** The files of such a cluster, as the user ann sees them. */
  public WeftFileSystem connect() {
    ClientOptions options =
        ClientOptions.builder(List.of(SYSMGR_1), "ann", Runnable::run).clientName("test").build();
    return await(WeftClient.connect(options, environment)).fileSystem();
  }

  /** Runs until the future is done; what it came to. */
  public <T> T await(CompletableFuture<T> future) {
    return finish(future).join();
  }

  /** Runs until the future is done, which must fail; what with. */
  public WeftException failureOf(CompletableFuture<?> future) {
    return WeftException.of(assertThrows(Exception.class, finish(future)::get));
  }

  /** Runs until the future is done, and gives it back. */
  public <T> CompletableFuture<T> finish(CompletableFuture<T> future) {
    time.runUntil("a future is done", future::isDone);
    return future;
  }

  /** Runs until the condition holds; false if that takes longer than this. */
  public boolean runUntil(BooleanSupplier condition, long limitMillis) {
    boolean[] over = new boolean[1];
    time.after(TimeUnit.MILLISECONDS.toNanos(limitMillis), () -> over[0] = true);
    time.runUntil("a condition holds", () -> over[0] || condition.getAsBoolean());
    return condition.getAsBoolean();
  }

  /** Lets this much time pass. */
  public void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A table of that version, with the manager at that address. */
  public static ClusterTable table(long version, Endpoint manager, int osds) {
    ClusterTable.Builder table =
        ClusterTable.newBuilder()
            .setVersion(version)
            .setClusterId(CLUSTER.value())
            .setClusterName("fake")
            .addManagers(
                ManagerRow.newBuilder()
                    .setManagerId(1)
                    .addAddresses(manager.toMessage())
                    .setState(NodeState.UP))
            .addVolumes(
                VolumeRow.newBuilder()
                    .setVolumeId(ROOT_VOLUME)
                    .setPath("/")
                    .setManagerId(1)
                    .setFormatted(true));
    for (int osd = 1; osd <= osds; osd++) {
      table.addOsds(
          OsdRow.newBuilder()
              .setOsdId(osd)
              .addAddresses(new Endpoint("osd-" + osd, 7400 + osd).toMessage())
              .setState(NodeState.UP));
    }
    return table.build();
  }
}
