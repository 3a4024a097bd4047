package org.weft.nfs.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.NfsOptions;
import org.weft.nfs.daemon.PortmapMode;
import org.weft.nfs.portmap.Portmapper;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.process.Await;

/** A gateway in a process of its own, to be killed at any instruction. */
final class GatewayJvm implements AutoCloseable {
  private static final String READY = "listening ";
  private static final long MEMORY_BYTES = 64L << 20;

  private final Process process;
  private final Endpoint address;

  private GatewayJvm(Process process, Endpoint address) {
    this.process = process;
    this.address = address;
  }

  /**
   * @param port 0 takes a free one
   */
  static GatewayJvm start(Endpoint sysmgr, byte[] joinToken, int port) throws IOException {
    return start(sysmgr, joinToken, port, Portmapper.PORT);
  }

  /**
   * @param port 0 takes a free one
   * @param clientPortmapPort where clients tell the ports of their lock managers and monitors
   */
  static GatewayJvm start(Endpoint sysmgr, byte[] joinToken, int port, int clientPortmapPort)
      throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Dlogback.configurationFile=org/weft/nfs/quiet-logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                GatewayJvm.class.getName(),
                sysmgr.toString(),
                new String(joinToken, StandardCharsets.US_ASCII),
                Integer.toString(port),
                Integer.toString(clientPortmapPort))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(READY)) {
        return new GatewayJvm(process, Endpoint.parse(line.substring(READY.length())));
      }
    }
    throw new IOException("the gateway ended before it listened");
  }

  Endpoint address() {
    return address;
  }

  /** As kill -9 does it; returns when it is gone. */
  void kill() {
    process.destroyForcibly();
    Await.until("the gateway's process is gone", () -> !process.isAlive());
  }

  /** As the host's signals do it: it stands still until it goes on, and is cut off meanwhile. */
  void standStill() throws IOException, InterruptedException {
    signal("STOP");
  }

  void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process sender =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    if (sender.waitFor() != 0) {
      throw new IOException("the gateway's process did not take the signal " + name);
    }
  }

  @Override
  public void close() {
    kill();
  }

  public static void main(String[] args) throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create();
        NfsDaemon daemon =
            NfsDaemon.start(
                new NfsOptions(
                    new Endpoint("127.0.0.1", Integer.parseInt(args[2])),
                    new Endpoint("127.0.0.1", Integer.parseInt(args[2])),
                    List.of(Endpoint.parse(args[0])),
                    args[1].getBytes(StandardCharsets.US_ASCII),
                    "host-1",
                    PortmapMode.OFF,
                    MEMORY_BYTES,
                    Integer.parseInt(args[3])),
                system.environment())) {
      System.out.println(READY + daemon.address());
      System.out.flush();
      Thread.currentThread().join();
    }
  }
}
