package org.weft.osd.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.store.Durability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/** A real OSD on the loopback, with a real store in a folder, in a cluster with a fake SysMgr. */
public final class OsdRig implements AutoCloseable {
  public static final Endpoint ANY_PORT = new Endpoint("127.0.0.1", 0);
  public static final long CAPACITY_BYTES = 64 << 20;

  private final SystemEnvironment system = SystemEnvironment.create();
  private final Path directory;
  private final FakeCluster cluster;
  private final FakeSysmgr sysmgr;
  private OsdDaemon daemon;
  private OsdCaller caller;
  private long scrubPeriodMillis = OsdOptions.DEFAULT_SCRUB_PERIOD_MILLIS;

  private OsdRig(Path directory, FakeCluster cluster) {
    this.directory = directory;
    this.cluster = cluster;
    this.sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
  }

  /** With the OSD running. */
  public static OsdRig start(Path directory) throws IOException {
    OsdRig rig = new OsdRig(directory, FakeCluster.seeded(11).heartbeatMillis(50));
    rig.startOsd();
    return rig;
  }

  /** The same, but it reads everything in this time; 0: never. */
  public static OsdRig scrubbing(Path directory, long periodMillis) throws IOException {
    OsdRig rig = new OsdRig(directory, FakeCluster.seeded(11).heartbeatMillis(50));
    rig.scrubPeriodMillis = periodMillis;
    rig.startOsd();
    return rig;
  }

  public void startOsd() throws IOException {
    OsdOptions options = options().withScrubPeriodMillis(scrubPeriodMillis);
    daemon = OsdDaemon.start(options, environment());
    caller = new OsdCaller(connect());
  }

  /** A clean stop. */
  public void stopOsd() {
    caller.connection().close();
    daemon.close();
    daemon = null;
  }

  public OsdOptions options() {
    return options(directory, cluster, List.of(sysmgr.address()));
  }

  public static OsdOptions options(Path directory, FakeCluster cluster, List<Endpoint> sysmgrs) {
    return new OsdOptions(
            directory,
            ANY_PORT,
            ANY_PORT,
            sysmgrs,
            cluster.joinToken(),
            "host-1",
            OptionalLong.of(CAPACITY_BYTES),
            1,
            Durability.WRITE_BACK)
        .withJoinTimeoutMillis(20_000);
  }

  /** The same, but gives up joining soon. */
  public static OsdOptions hasty(OsdOptions patient) {
    return patient.withJoinTimeoutMillis(300);
  }

  public RpcConnection connect() throws WeftException {
    return OsdCaller.wait(
        environment()
            .transport()
            .connect(
                daemon.address(), ConnectOptions.to(Optional.of(cluster.clusterId()), "client"))
            .toCompletableFuture());
  }

  public Environment environment() {
    return system.environment();
  }

  public FakeCluster cluster() {
    return cluster;
  }

  public FakeSysmgr sysmgr() {
    return sysmgr;
  }

  public OsdDaemon daemon() {
    return daemon;
  }

  public OsdCaller caller() {
    return caller;
  }

  public Caps caps() {
    return new Caps(cluster);
  }

  @Override
  public void close() {
    if (daemon != null) {
      stopOsd();
    }
    sysmgr.close();
    system.close();
  }
}
