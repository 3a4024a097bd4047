package org.weft.sysmgr;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;

/** A SysMgr member in a JVM of its own, which a test may kill. */
final class SysmgrProcess implements AutoCloseable {
  private static final int SNAPSHOT_EVERY = 11;
  private static final String READY = "READY ";
  private static final String ENDED = "ENDED ";
  private static final long EXIT_SECONDS = 20;

  private final Process process;
  private final BufferedReader output;
  private final Endpoint address;
  private final byte[] joinToken;
  private final int memberId;

  private SysmgrProcess(
      Process process, BufferedReader output, Endpoint address, byte[] joinToken, int memberId) {
    this.process = process;
    this.output = output;
    this.address = address;
    this.joinToken = joinToken;
    this.memberId = memberId;
  }

  /**
   * Runs in the child, until the process is killed: {@code DATA}, a single member on any ports;
   * {@code DATA first ID PORT/PORT...}, one of several first members; {@code DATA join PORT/PORT
   * TOKEN SYSMGR...}, one that others are to add.
   */
  public static void main(String[] arguments) throws Exception {
    SystemEnvironment system = SystemEnvironment.create();
    SysmgrDaemon daemon =
        SysmgrDaemon.start(options(arguments), system.environment(), SNAPSHOT_EVERY);
    // Of several members only a majority knows the token.
    String token = arguments.length == 1 ? HexFormat.of().formatHex(daemon.joinToken()) : "";
    System.out.println(READY + daemon.address() + " " + daemon.memberId() + " " + token);
    daemon
        .ended()
        .whenComplete(
            (done, failure) -> {
              System.out.println(ENDED + failure);
              Runtime.getRuntime().halt(1);
            });
    Thread.currentThread().join();
  }

  private static SysmgrOptions options(String[] arguments) {
    Path data = Path.of(arguments[0]);
    Endpoint any = new Endpoint("127.0.0.1", 0);
    if (arguments.length == 1) {
      return SysmgrOptions.single(data, any, any, any, "test", "root");
    }
    boolean first = arguments[1].equals("first");
    List<SysmgrMember> members = new ArrayList<>();
    if (first) {
      for (int i = 3; i < arguments.length; i++) {
        members.add(member(i - 2, arguments[i]));
      }
    } else {
      members.add(member(1, arguments[2]));
    }
    int id = first ? Integer.parseInt(arguments[2]) : 0;
    SysmgrMember self = members.get(Math.max(1, id) - 1);
    SysmgrOptions options =
        new SysmgrOptions(data, id, members, self.rpc(), any, self.ratis(), "test", "root");
    return first
        ? options
        : options.joining(
            new SysmgrOptions.JoinPlan(
                Arrays.stream(arguments).skip(4).map(Endpoint::parse).toList(),
                HexFormat.of().parseHex(arguments[3])));
  }

  private static SysmgrMember member(int id, String ports) {
    String[] each = ports.split("/");
    return new SysmgrMember(
        id,
        new Endpoint("127.0.0.1", Integer.parseInt(each[0])),
        new Endpoint("127.0.0.1", Integer.parseInt(each[1])));
  }

  /** Starts a single member and waits until it leads. */
  static SysmgrProcess start(Path data) throws IOException {
    return start(List.of(data.toString()));
  }

  /**
   * Starts a child and waits until it listens.
   *
   * @param arguments as {@link #main} takes them
   */
  static SysmgrProcess start(List<String> arguments) throws IOException {
    return listening(launch(arguments));
  }

  /** Starts a child, and waits for nothing. */
  static Process launch(List<String> arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SysmgrProcess.class.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static SysmgrProcess listening(Process process) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder seen = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        String[] words = line.split(" ");
        return new SysmgrProcess(
            process,
            output,
            Endpoint.parse(words[1]),
            HexFormat.of().parseHex(words.length > 3 ? words[3] : ""),
            Integer.parseInt(words[2]));
      }
      seen.append(line).append('\n');
    }
    throw new IOException("the child did not start: " + seen);
  }

  Endpoint address() {
    return address;
  }

  /** Of a single member. */
  byte[] joinToken() {
    return joinToken.clone();
  }

  int memberId() {
    return memberId;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Waits until the member ends by itself; returns why. */
  String awaitEnd() throws IOException {
    String last = "";
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      last = line.startsWith(ENDED) ? line : last;
    }
    return last;
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
