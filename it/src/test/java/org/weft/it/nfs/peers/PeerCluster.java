package org.weft.it.nfs.peers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;

/** A quickstart with a process for each daemon and one gateway, and a client of the Java API. */
final class PeerCluster implements AutoCloseable {
  static final String HOST = "127.0.0.1";
  private static final int OSDS = 4;

  /** Behind the one that the quickstart starts. */
  private static final int SECOND_GATEWAY = 2;

  private final Path scratch;
  private final PeerPrograms programs;
  private final DaemonCluster cluster;
  private final SystemEnvironment system;
  private final OwnedExecutor callbacks;
  private final WeftClient client;

  PeerCluster(Path scratch) throws Exception {
    this.scratch = scratch;
    this.programs = new PeerPrograms(Files.createDirectories(scratch.resolve("programs")));
    this.cluster = DaemonCluster.start(scratch, OSDS, 1, 1, 1);
    this.system = SystemEnvironment.create();
    this.callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
    this.client = DaemonCluster.connect(cluster.port(), "peers", system, callbacks);
  }

  PeerPrograms programs() {
    return programs;
  }

  /** Where the quickstart's gateway listens, with NFS, MOUNT, NLM and NSM. */
  int gatewayPort() {
    return cluster.gatewayPort(1);
  }

  InetSocketAddress gateway() {
    return new InetSocketAddress(HOST, gatewayPort());
  }

  WeftCli cli() {
    return new WeftCli(cluster.port());
  }

  WeftFiles files() {
    return client.files();
  }

  byte[] read(String path) throws IOException {
    try (InputStream in = files().open(WeftPath.of(path))) {
      return in.readAllBytes();
    }
  }

  void write(String path, byte[] data) throws IOException {
    var unused = files().write(WeftPath.of(path), new ByteArrayInputStream(data));
  }

  /** The same bytes for a length, each time. */
  static byte[] bytes(int length) {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    return data;
  }

  /** A file of this host. */
  Path local(String name) {
    return scratch.resolve("local-" + name);
  }

  /** An export for other hosts, and a directory below the root to be mounted. */
  void exportMore() throws IOException {
    var unused = files().mkdirs(WeftPath.of("/exported"), WeftFiles.DIRECTORY_MODE);
    unused = files().mkdirs(WeftPath.of("/out"), WeftFiles.DIRECTORY_MODE);
    cli().run("nfs", "export", "add", "/exported", "--clients", "10.1.0.0/16");
  }

  int secondGatewayPort() {
    return cluster.gatewayPort(SECOND_GATEWAY);
  }

  /** Starts a second gateway, as an administrator would, with that mode of nfs.portmap. */
  WeftProcess startGateway(String portmap) throws Exception {
    WeftProcess gateway =
        WeftProcess.start(
            scratch,
            "nfs",
            "--config",
            scratch.resolve("data/weft.conf").toString(),
            "--listen",
            HOST + ":" + secondGatewayPort(),
            "--metrics",
            "off",
            "--set",
            "nfs.portmap=" + portmap);
    try {
      gateway.awaitLine(line -> line.contains("nfs gateway listens on"));
      return gateway;
    } catch (AssertionError e) {
      gateway.close();
      throw e;
    }
  }

  /** Port 111 of this host can be listened on: this is root, and no portmapper runs. */
  static boolean hasPortmapPort() {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(HOST, 111));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      client.close();
      callbacks.close();
      system.close();
    } finally {
      cluster.close();
    }
  }
}
