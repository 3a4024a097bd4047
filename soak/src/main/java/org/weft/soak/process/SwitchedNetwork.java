package org.weft.soak.process;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Hosts that are network namespaces on one switch, which can be cut in two. This process must have
 * a network namespace and a mount namespace of its own ({@code unshare --net --mount}). It plays
 * the host of the operator and holds the switch. All of it is gone when its processes have ended.
 * Not thread-safe.
 *
 * <p>A cut loses packets without any notice: no connection is reset, no address becomes
 * unreachable.
 */
public final class SwitchedNetwork {
  private static final String NET = "10.77.0.";
  private static final String OPERATOR = "";
  private static final int OPERATOR_NUMBER = 1;
  private static final int FIRST_HOST = 10;
  private static final int MAX_HOSTS = 200;
  private static final long COMMAND_SECONDS = 30;
  private static final Path INTERFACES = Path.of("/proc/self/net/dev");
  private static final int HEADER_LINES = 2;
  private static final Path NAMES = Path.of("/run/netns");

  /** A hardware address that no host has: what is sent there is lost. */
  private static final String NOWHERE = "02:00:00:00:00:01";

  private static final String SWITCH = "switch";
  private static final String OTHER_SWITCH = "other-switch";

  private final Map<String, Integer> hosts = new LinkedHashMap<>();

  private SwitchedNetwork() {}

  /**
   * Sets up the switch.
   *
   * @throws IOException if this process has no namespaces of its own, or may not set them up; says
   *     what to do
   */
  public static SwitchedNetwork create() throws IOException, InterruptedException {
    if (!isAlone()) {
      throw new IOException(
          "this process has the network of the machine; start it in one of its own: unshare --net"
              + " --mount COMMAND, with --user --map-root-user for a user that is not root");
    }
    Files.createDirectories(NAMES);
    run("mount -t tmpfs none " + NAMES);
    run("ip link set lo up");
    for (String each : List.of(SWITCH, OTHER_SWITCH)) {
      run("ip link add " + each + " type bridge");
      run("ip link set " + each + " up");
    }
    run("ip link set " + SWITCH + " address " + hardware(OPERATOR_NUMBER));
    run("ip addr add " + NET + OPERATOR_NUMBER + "/24 dev " + SWITCH);
    return new SwitchedNetwork();
  }

  /** No interface but loopback; Java lists none while that one is down. */
  private static boolean isAlone() throws IOException {
    return Files.readAllLines(INTERFACES).stream()
        .skip(HEADER_LINES)
        .allMatch(line -> line.trim().startsWith("lo:"));
  }

  /** Adds a host. Its address. */
  public String add(String host) throws IOException, InterruptedException {
    int number = FIRST_HOST + hosts.size();
    if (number > MAX_HOSTS || hosts.putIfAbsent(host, number) != null) {
      throw new IllegalArgumentException("no room for " + host + " beside " + hosts.keySet());
    }
    String port = port(number);
    run("ip netns add " + host);
    run("ip link add " + port + " type veth peer name eth0 netns " + host);
    run("ip link set " + port + " master " + SWITCH + " up");
    run("ip -n " + host + " link set eth0 address " + hardware(number));
    run("ip -n " + host + " addr add " + address(host) + "/24 dev eth0");
    run("ip -n " + host + " link set lo up");
    run("ip -n " + host + " link set eth0 up");
    know(OPERATOR, List.of(neighbour(number, hardware(number), SWITCH)));
    for (String other : hosts.keySet()) {
      know(other, List.of(neighbour(number, hardware(number), "eth0")));
    }
    know(host, allNeighbours());
    return address(host);
  }

  /**
   * True hardware addresses: a host that is asked for its own one and is silent would be noticed.
   */
  private List<String> allNeighbours() {
    List<String> all = new ArrayList<>();
    all.add(neighbour(OPERATOR_NUMBER, hardware(OPERATOR_NUMBER), "eth0"));
    hosts.values().forEach(number -> all.add(neighbour(number, hardware(number), "eth0")));
    return all;
  }

  private static String neighbour(int number, String hardware, String device) {
    return "neigh replace "
        + (NET + number)
        + (" lladdr " + hardware)
        + (" nud permanent dev " + device);
  }

  private static String hardware(int number) {
    return "02:00:00:00:01:%02x".formatted(number);
  }

  /** What runs a command on a host; its pid is that of the command. */
  public static List<String> on(String host) {
    return List.of("ip", "netns", "exec", host);
  }

  /** The address of a host that was added. */
  public String address(String host) {
    return NET + hosts.get(host);
  }

  /** From now on these hosts reach each other alone, and the others and the operator do. */
  public void cut(Collection<String> apart) throws IOException, InterruptedException {
    for (String host : apart) {
      run("ip link set " + port(hosts.get(host)) + " master " + OTHER_SWITCH);
    }
  }

  /**
   * From now on what these hosts send to all others but the operator is lost; what others send
   * arrives.
   */
  public void mute(Collection<String> muted) throws IOException, InterruptedException {
    List<String> others = new ArrayList<>(hosts.keySet());
    others.removeAll(muted);
    for (String from : muted) {
      mute(from, others);
    }
  }

  /** From now on what the host sends to these is lost. */
  public void mute(String from, Collection<String> to) throws IOException, InterruptedException {
    know(from, to.stream().map(host -> neighbour(hosts.get(host), NOWHERE, "eth0")).toList());
  }

  /** Ends {@link #cut} and {@link #mute}. */
  public void mend() throws IOException, InterruptedException {
    for (Map.Entry<String, Integer> host : hosts.entrySet()) {
      run("ip link set " + port(host.getValue()) + " master " + SWITCH);
      know(host.getKey(), allNeighbours());
    }
  }

  private static void know(String host, List<String> neighbours)
      throws IOException, InterruptedException {
    String where = host.equals(OPERATOR) ? "" : " -n " + host;
    run("ip" + where + " -batch -", neighbours);
  }

  private static String port(int number) {
    return "port-" + number;
  }

  private static void run(String command) throws IOException, InterruptedException {
    run(command, List.of());
  }

  /** Runs a command whose arguments hold no spaces; it reads these lines. */
  private static void run(String command, List<String> lines)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command.split(" ", -1)).redirectErrorStream(true).start();
    try (Writer input = process.outputWriter(StandardCharsets.UTF_8)) {
      for (String line : lines) {
        input.write(line + "\n");
      }
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(command + " " + lines + ": " + said.trim());
    }
  }
}
