package org.weft.sysmgr;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;

/** A SysMgr member in a JVM of its own, which a test may kill. */
final class SysmgrProcess implements AutoCloseable {
  private static final int SNAPSHOT_EVERY = 11;
  private static final String READY = "READY ";
  private static final long EXIT_SECONDS = 20;

  private final Process process;
  private final Endpoint address;
  private final byte[] joinToken;

  private SysmgrProcess(Process process, Endpoint address, byte[] joinToken) {
    this.process = process;
    this.address = address;
    this.joinToken = joinToken;
  }

  /** Runs in the child: a member on any ports, until the process is killed. */
  public static void main(String[] arguments) throws Exception {
    Endpoint any = new Endpoint("127.0.0.1", 0);
    SysmgrOptions options =
        SysmgrOptions.single(Path.of(arguments[0]), any, any, any, "test", "root");
    SystemEnvironment system = SystemEnvironment.create();
    SysmgrDaemon daemon = SysmgrDaemon.start(options, system.environment(), SNAPSHOT_EVERY);
    System.out.println(
        READY + daemon.address() + " " + HexFormat.of().formatHex(daemon.joinToken()));
    daemon.ended().toCompletableFuture().join();
  }

  /** Starts a child and waits until it leads. */
  static SysmgrProcess start(Path data) throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx128m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    SysmgrProcess.class.getName(),
                    data.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder seen = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        String[] words = line.split(" ");
        return new SysmgrProcess(
            process, Endpoint.parse(words[1]), HexFormat.of().parseHex(words[2]));
      }
      seen.append(line).append('\n');
    }
    throw new IOException("the child did not start: " + seen);
  }

  Endpoint address() {
    return address;
  }

  byte[] joinToken() {
    return joinToken.clone();
  }

  /** SIGKILL: the process gets no chance to do anything more. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("the child does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
