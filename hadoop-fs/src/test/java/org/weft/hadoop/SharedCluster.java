package org.weft.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.weft.hadoop.config.ConnectorKey;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.ManagerOptions;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.store.Durability;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.OpenParts;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrOptions;

/**
 * A whole cluster on loopback ports in this JVM: SysMgr, a manager and six OSDs, each on a host of
 * its own name. All test classes share it; it ends with the JVM.
 */
public final class SharedCluster {
  private static final int OSDS = 6;
  private static final long OSD_BYTES = 2L << 30;
  private static final String START_TIMEOUT = "120s";

  private final OpenParts parts = new OpenParts();
  private final Path data;
  private Endpoint sysmgr;

  private SharedCluster(Path data) {
    this.data = data;
  }

  /** Made by the class loader, once. */
  private static final class Holder {
    private static final SharedCluster CLUSTER = startForAll();

    private static SharedCluster startForAll() {
      try {
        Path target = Files.createDirectories(Path.of("target"));
        SharedCluster cluster = start(Files.createTempDirectory(target, "cluster-"));
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::stop, "stop-cluster"));
        cluster.makeHome();
        return cluster;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The one that all share. */
  public static SharedCluster get() {
    return Holder.CLUSTER;
  }

  /** Starts another one, which the caller stops. */
  public static SharedCluster start(Path data) throws IOException {
    SharedCluster cluster = new SharedCluster(data);
    try {
      cluster.startAll();
      return cluster;
    } catch (Exception e) {
      cluster.stop();
      throw new IOException("the cluster did not start: " + e.getMessage(), e);
    }
  }

  private void startAll() throws Exception {
    SystemEnvironment system = parts.add(SystemEnvironment.create());
    Endpoint any = new Endpoint("127.0.0.1", 0);
    SysmgrDaemon control =
        parts.add(
            SysmgrDaemon.start(
                SysmgrOptions.single(data.resolve("sysmgr"), any, any, any, "suites", superuser()),
                system.environment()));
    sysmgr = control.address();
    List<Endpoint> sysmgrs = List.of(sysmgr);
    for (int number = 1; number <= OSDS; number++) {
      parts.add(
          OsdDaemon.start(
              new OsdOptions(
                  data.resolve("osd-" + number),
                  any,
                  any,
                  sysmgrs,
                  control.joinToken(),
                  "host-" + number,
                  OptionalLong.of(OSD_BYTES),
                  OSDS,
                  Durability.WRITE_BACK),
              system.environment()));
    }
    parts.add(
        ManagerDaemon.start(
            new ManagerOptions(
                data.resolve("manager"),
                any,
                any,
                sysmgrs,
                control.joinToken(),
                "host-1",
                ManagerOptions.DEFAULT_MIN_OSDS),
            system.environment()));
  }

  private static String superuser() {
    return System.getProperty("user.name");
  }

  /** What every cluster has; the suite of the root directory leaves nothing. */
  public void makeHome() throws IOException {
    Configuration conf = new Configuration();
    conf.set(ConnectorKey.CONNECT_TIMEOUT.key(), START_TIMEOUT);
    conf.set(ConnectorKey.REQUEST_TIMEOUT.key(), START_TIMEOUT);
    try (FileSystem fs = FileSystem.newInstance(java.net.URI.create(uri()), conf)) {
      fs.mkdirs(fs.getHomeDirectory());
      fs.mkdirs(new org.apache.hadoop.fs.Path("/tmp"));
      fs.setPermission(new org.apache.hadoop.fs.Path("/tmp"), new FsPermission((short) 01777));
    }
  }

  /** As in {@code weft://127.0.0.1:40123}. */
  public String uri() {
    return "weft://" + sysmgr;
  }

  /** Stops everything, and removes its data. */
  public void stop() {
    try {
      parts.close();
    } catch (IOException e) {
      System.err.println("a part of the cluster did not stop: " + e);
    }
    try (Stream<Path> all = Files.walk(data)) {
      all.sorted(Comparator.reverseOrder()).forEach(SharedCluster::delete);
    } catch (IOException e) {
      System.err.println("the cluster's data was not removed: " + e);
    }
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
