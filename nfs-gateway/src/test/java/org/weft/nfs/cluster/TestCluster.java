package org.weft.nfs.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.NfsAdmin;
import org.weft.client.cluster.VolumeAdmin;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.ManagerOptions;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.NfsOptions;
import org.weft.nfs.daemon.PortmapMode;
import org.weft.nfs.host.HostAccounts;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.portmap.Portmapper;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.store.Durability;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.OpenParts;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.NfsExportChange;
import org.weft.protocol.wire.NfsSquash;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrOptions;
import org.weft.testkit.process.Await;

/** SysMgr, a manager and OSDs in this process, and clients of NFS. Not thread-safe. */
@SuppressWarnings("try") // Daemons may be interrupted while they stop.
public final class TestCluster implements AutoCloseable {
  static final Endpoint ANY = new Endpoint("127.0.0.1", 0);

  private static final int OSDS = 4;
  private static final long OSD_BYTES = 1L << 30;
  private static final long MEMORY_BYTES = 64L << 20;
  private static final int TIMEOUT_MILLIS = 60_000;

  private final OpenParts parts = new OpenParts();
  private final SystemEnvironment system = SystemEnvironment.create();
  private final OncRpcTransport calls;
  private SysmgrDaemon sysmgr;
  private WeftClient client;
  private ClusterView view;
  private OwnedExecutor home;

  public TestCluster(Path data) throws Exception {
    parts.add(system);
    calls =
        new OncRpcTransport(
            OncRpcOptions.USUAL,
            system.environment().scheduler(),
            system.environment().ticker(),
            system.environment().random());
    parts.add(calls);
    try {
      start(data);
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private void start(Path data) throws Exception {
    sysmgr =
        parts.add(
            SysmgrDaemon.start(
                SysmgrOptions.single(data.resolve("sysmgr"), ANY, ANY, ANY, "test", "root"),
                system.environment()));
    List<Endpoint> sysmgrs = List.of(sysmgr.address());
    for (int number = 1; number <= OSDS; number++) {
      parts.add(
          OsdDaemon.start(
              new OsdOptions(
                  data.resolve("osd-" + number),
                  ANY,
                  ANY,
                  sysmgrs,
                  sysmgr.joinToken(),
                  "host-" + number,
                  OptionalLong.of(OSD_BYTES),
                  OSDS,
                  Durability.WRITE_BACK),
              system.environment()));
    }
    parts.add(
        ManagerDaemon.start(
            new ManagerOptions(
                data.resolve("manager"), ANY, ANY, sysmgrs, sysmgr.joinToken(), "host-1", OSDS),
            system.environment()));
    home = parts.add(system.environment().scheduler().newSerialExecutor("test-view"));
    view =
        parts.add(
            ModelGateway.now(
                ClusterView.open(
                    ClusterViewOptions.of(sysmgrs, Optional.empty(), "test"),
                    system.environment(),
                    home)));
    client =
        parts.add(
            WeftClient.connect(
                    ClientOptions.builder(sysmgrs, "root", Runnable::run)
                        .umask(0)
                        .openTimeoutMillis(TIMEOUT_MILLIS)
                        .requestTimeoutMillis(TIMEOUT_MILLIS)
                        .build(),
                    system.environment())
                .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
  }

  public Endpoint sysmgr() {
    return sysmgr.address();
  }

  byte[] joinToken() {
    return sysmgr.joinToken();
  }

  /** A client of Weft itself, as the superuser. */
  public WeftClient client() {
    return client;
  }

  /** To call gateways, and to be called. */
  OncRpcTransport rpc() {
    return calls;
  }

  SystemEnvironment system() {
    return system;
  }

  public NfsAdmin admin() {
    return new NfsAdmin(view);
  }

  /** Makes a volume whose root directory is at that path, and waits until it can be used. */
  public long makeVolume(String path) {
    CreateVolumeRequest wanted =
        CreateVolumeRequest.newBuilder().setUser("root").setPath(path).build();
    VolumeAdmin volumes = new VolumeAdmin(view, system.environment(), home, TIMEOUT_MILLIS);
    return ModelGateway.now(volumes.create(wanted)).getVolumeId();
  }

  /** A request of the superuser to change an export. */
  static ChangeNfsExportRequest.Builder export(NfsExportChange change, String path) {
    return ChangeNfsExportRequest.newBuilder().setUser("root").setChange(change).setPath(path);
  }

  /** Exports a directory to this host, whose root is the superuser. */
  public void exportOpen(String path) {
    change(
        export(NfsExportChange.ADD_EXPORT, path)
            .addClients("127.0.0.0/8")
            .setInsecure(true)
            .setSquash(NfsSquash.SQUASH_NONE));
  }

  void change(ChangeNfsExportRequest.Builder wanted) {
    ModelGateway.now(admin().change(wanted.build()));
  }

  /** Starts a gateway, which the caller closes. */
  public NfsDaemon gateway() throws IOException {
    return gatewayAt(ANY);
  }

  /** Starts one at an address. */
  public NfsDaemon gatewayAt(Endpoint address) throws IOException {
    return gateway(address, Portmapper.PORT);
  }

  /** Starts one whose clients have their portmapper at that port. */
  NfsDaemon gatewayFor(int clientPortmapPort) throws IOException {
    return gateway(ANY, clientPortmapPort);
  }

  /** Starts one on a host that knows these users and groups, by name and number. */
  NfsDaemon gatewayOn(HostAccounts host) throws IOException {
    return NfsDaemon.start(
        options(ANY, Portmapper.PORT).withHostIds(true), system.environment(), host);
  }

  private NfsDaemon gateway(Endpoint address, int clientPortmapPort) throws IOException {
    return NfsDaemon.start(options(address, clientPortmapPort), system.environment());
  }

  private NfsOptions options(Endpoint address, int clientPortmapPort) {
    return new NfsOptions(
        address,
        address,
        List.of(sysmgr()),
        joinToken(),
        "host-1",
        PortmapMode.OFF,
        MEMORY_BYTES,
        clientPortmapPort);
  }

  /** Waits until what was changed last is in force there. */
  public void awaitInForce(NfsDaemon... gateways) {
    long version = ModelGateway.now(admin().show()).getTable().getVersion();
    for (NfsDaemon gateway : gateways) {
      Await.until("version " + version, () -> gateway.policy().version() == version);
    }
  }

  /** A client of NFS with one connection, from a port that is not reserved. */
  public Nfs3Client connect(Endpoint gateway, int uid, int gid, Integer... gids) {
    return new Nfs3Client(
        ModelGateway.now(
            calls.connect(
                new java.net.InetSocketAddress(gateway.host(), gateway.port()),
                OptionalInt.empty(),
                TIMEOUT_MILLIS,
                Runnable::run)),
        uid,
        gid,
        gids);
  }

  @Override
  public void close() throws Exception {
    parts.close();
  }
}
