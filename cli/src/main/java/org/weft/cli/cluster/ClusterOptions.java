package org.weft.cli.cluster;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.client.ClientOptions;
import org.weft.client.stripe.HedgeOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which every command that talks to a cluster finds it. Mix in. */
public final class ClusterOptions {
  /** Where the quickstart of this machine listens. */
  public static final String DEFAULT_CLUSTER = "127.0.0.1:7300";

  /** Names a cluster where {@code --cluster} does not. */
  public static final String VARIABLE = "WEFT_CLUSTER";

  private static final int OPEN_TIMEOUT_MILLIS = 10_000;
  private static final int PROBE_TIMEOUT_MILLIS = 2_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  /** Of all sessions of one command. */
  private final SharedEnvironment environment = new SharedEnvironment();

  @Option(
      names = "--cluster",
      paramLabel = "HOST:PORT",
      description =
          "SysMgr of the cluster; several separated by commas. Else $WEFT_CLUSTER, else the"
              + " quickstart of this machine at 127.0.0.1:7300.")
  private String cluster;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "Act as this user; else as the user of the operating system.")
  private String user;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to try before giving up a request (default: ${DEFAULT-VALUE}).")
  private int timeoutSeconds;

  /** Addresses of SysMgr; what is wrong with them is wrong usage of the command. */
  public List<Endpoint> endpoints() {
    return endpoints(System.getenv());
  }

  List<Endpoint> endpoints(Map<String, String> variables) {
    String source = cluster != null ? "--cluster" : VARIABLE;
    String text = cluster != null ? cluster : variables.getOrDefault(VARIABLE, "");
    if (text.isBlank()) {
      text = DEFAULT_CLUSTER;
    }
    List<Endpoint> endpoints = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      try {
        endpoints.add(Endpoint.parse(part.trim()));
      } catch (IllegalArgumentException e) {
        throw wrong(source + ": " + e.getMessage(), e);
      }
    }
    return List.copyOf(endpoints);
  }

  /** The cluster as it is named on the screen. */
  public String describe() {
    return "weft://" + endpoints().get(0);
  }

  /** The process's own: bits that new files do not get. */
  public int umask() {
    return LocalUser.processUmask();
  }

  /** Whom the command acts for. */
  public String userName() {
    return LocalUser.current(user).name();
  }

  /** The groups of that user on this machine. */
  public List<String> groups() {
    return LocalUser.current(user).groups();
  }

  /** How long to try before giving up a request. */
  public int timeoutSeconds() {
    if (timeoutSeconds < 1 || timeoutSeconds > 86_400) {
      throw wrong("--timeout: expected 1 to 86400 seconds, got " + timeoutSeconds, null);
    }
    return timeoutSeconds;
  }

  /** Opens a session with the cluster; the caller closes it. */
  public ClusterConnection connect() throws IOException {
    return connect(HedgeOptions.defaults());
  }

  /**
   * The same.
   *
   * @param hedges what is done about units that are late
   */
  public ClusterConnection connect(HedgeOptions hedges) throws IOException {
    int seconds = timeoutSeconds();
    requireListening();
    List<Endpoint> endpoints = endpoints();
    LocalUser identity = LocalUser.current(user);
    ClientOptions options =
        // Commands only wait for their futures, so these may complete anywhere.
        ClientOptions.builder(endpoints, identity.name(), Runnable::run)
            .groups(identity.groups())
            .umask(identity.umask())
            .clientName(identity.clientName())
            .openTimeoutMillis(OPEN_TIMEOUT_MILLIS)
            .requestTimeoutMillis(seconds * 1_000)
            .hedges(hedges)
            .build();
    try {
      return ClusterConnection.open(options, environment);
    } catch (RpcException e) {
      throw e.code() == ErrorCode.UNAVAILABLE ? withNextStep(e) : e;
    }
  }

  private ParameterException wrong(String message, Throwable cause) {
    return new ParameterException(
        mixee.commandLine(), "weft: " + mixee.name() + ": " + message, cause);
  }

  /**
   * Fails with UNAVAILABLE and a next step if nobody listens at any of the addresses: who forgot to
   * start the cluster learns it at once, not when a deadline has passed.
   */
  public void requireListening() throws RpcException {
    List<Endpoint> endpoints = endpoints();
    if (endpoints.stream().allMatch(ClusterOptions::refuses)) {
      throw withNextStep(
          new RpcException(ErrorCode.UNAVAILABLE, "nobody listens at " + join(endpoints)));
    }
  }

  private static boolean refuses(Endpoint endpoint) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), PROBE_TIMEOUT_MILLIS);
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      // Slow or unknown: the connection itself will say what is wrong.
      return false;
    }
  }

  private static String join(List<Endpoint> endpoints) {
    return endpoints.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
  }

  private static RpcException withNextStep(RpcException failure) {
    return new RpcException(
        failure.code(),
        failure.getMessage()
            + "; start a cluster with `weft quickstart`, or name one with --cluster HOST:PORT or "
            + VARIABLE,
        failure);
  }
}
