package org.weft.it.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Hosts that are network namespaces on one switch, which can be cut in two. This process must have
 * a network namespace and a mount namespace of its own ({@code unshare --net --mount}): it is the
 * host of the operator, and holds the switch. All of it is gone when its processes have ended. Not
 * thread-safe.
 *
 * <p>A cut loses packets and tells no side: no connection is reset, no address becomes unreachable.
 */
public final class SwitchedNetwork {
  private static final String NET = "10.77.0.";
  private static final String OPERATOR = NET + "1/24";
  private static final int FIRST_HOST = 10;
  private static final int MOST_HOSTS = 200;
  private static final long COMMAND_SECONDS = 30;
  private static final Path INTERFACES = Path.of("/proc/self/net/dev");
  private static final int HEADER_LINES = 2;
  private static final Path NAMES = Path.of("/run/netns");

  /** An address of hardware that no host has: what is sent there is lost. */
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
              + " --mount COMMAND, with --user --map-root-user for those who are not root");
    }
    Files.createDirectories(NAMES);
    run("mount -t tmpfs none " + NAMES);
    run("ip link set lo up");
    for (String each : List.of(SWITCH, OTHER_SWITCH)) {
      run("ip link add " + each + " type bridge");
      run("ip link set " + each + " up");
    }
    run("ip addr add " + OPERATOR + " dev " + SWITCH);
    return new SwitchedNetwork();
  }

  /** No interface but loopback; Java lists none as long as that one is down. */
  private static boolean isAlone() throws IOException {
    return Files.readAllLines(INTERFACES).stream()
        .skip(HEADER_LINES)
        .allMatch(line -> line.trim().startsWith("lo:"));
  }

  /** Adds a host. Its address. */
  public String add(String host) throws IOException, InterruptedException {
    int number = FIRST_HOST + hosts.size();
    if (number > MOST_HOSTS || hosts.putIfAbsent(host, number) != null) {
      throw new IllegalArgumentException("no room for " + host + " beside " + hosts.keySet());
    }
    String port = port(number);
    run("ip netns add " + host);
    run("ip link add " + port + " type veth peer name eth0 netns " + host);
    run("ip link set " + port + " master " + SWITCH + " up");
    run("ip -n " + host + " addr add " + address(host) + "/24 dev eth0");
    run("ip -n " + host + " link set lo up");
    run("ip -n " + host + " link set eth0 up");
    return address(host);
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
    for (String from : muted) {
      for (String to : hosts.keySet()) {
        if (!muted.contains(to)) {
          run(
              ("ip -n " + from + " neigh replace " + address(to) + " lladdr " + NOWHERE)
                  + " nud permanent dev eth0");
        }
      }
    }
  }

  /** Ends {@link #cut} and {@link #mute}. */
  public void mend() throws IOException, InterruptedException {
    for (Map.Entry<String, Integer> host : hosts.entrySet()) {
      run("ip link set " + port(host.getValue()) + " master " + SWITCH);
      run("ip -n " + host.getKey() + " neigh flush all nud permanent");
    }
  }

  private static String port(int number) {
    return "port-" + number;
  }

  /** Runs a command whose words hold no spaces. */
  private static void run(String command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command.split(" ", -1)).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(command + ": " + said.trim());
    }
  }
}
