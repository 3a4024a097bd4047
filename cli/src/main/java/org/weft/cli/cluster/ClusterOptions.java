package org.weft.cli.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Stack;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.weft.client.ClientOptions;
import org.weft.client.HedgeOptions;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.PolledWait;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
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
  private static final int DEFAULT_WAIT_SECONDS = 60;
  private static final int MAX_SECONDS = 86_400;
  private static final String ATTACHED = "=";
  private static final Duration PROBE = Duration.ofMillis(250);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  /** The environment of all sessions of one command. */
  private final SharedEnvironment environment = new SharedEnvironment();

  @Option(
      names = "--cluster",
      paramLabel = "HOST:PORT",
      description =
          "SysMgr of the cluster; several separated by commas. Otherwise $WEFT_CLUSTER, or the"
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

  @Option(
      names = "--wait",
      arity = "0..1",
      paramLabel = "SECONDS",
      preprocessor = AttachedNumber.class,
      description =
          "Wait for a cluster of which no address accepts a connection, so long as in --wait=120"
              + " (--wait alone: 60); else the command fails after two seconds.")
  private Integer waitSeconds;

  @Option(
      names = "--quiet",
      description = "Do not say on standard error which server the command waits for.")
  private boolean quiet;

  private Consumer<String> printer = line -> {};

  /** {@code --wait} alone is a whole option: the word behind it is an argument. */
  private static final class AttachedNumber implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
        Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (ATTACHED.equals(info.get("separator"))) {
        return false;
      }
      option.setValue(DEFAULT_WAIT_SECONDS);
      return true;
    }
  }

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
    try {
      return Endpoint.parseAll(text);
    } catch (IllegalArgumentException e) {
      throw wrong(source + ": " + e.getMessage(), e);
    }
  }

  /** The cluster as it is named on the screen. */
  public String describe() {
    return "weft://" + endpoints().get(0);
  }

  /** The process's own: bits that new files do not get. */
  public int umask() {
    return LocalUser.processUmask();
  }

  /** The user that the command acts for. */
  public String userName() {
    return LocalUser.current(user).name();
  }

  /** The groups of that user on this machine. */
  public List<String> groups() {
    return LocalUser.current(user).groups();
  }

  /** How long to try before giving up a request. */
  public int timeoutSeconds() {
    return checked("--timeout", timeoutSeconds);
  }

  private int checked(String name, int seconds) {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw wrong(name + ": expected 1 to " + MAX_SECONDS + " seconds, got " + seconds, null);
    }
    return seconds;
  }

  /** Which server a command waits for is printed there from now on, unless it is to be quiet. */
  public void noticesTo(Consumer<String> lines) {
    printer = lines;
  }

  /** True if a command is to say only what it was asked for. */
  public boolean isQuiet() {
    return quiet;
  }

  /** Says what is waited for of what is asked through its environment, until it is closed. */
  public WaitNotices watch(Environment environment) {
    return WaitNotices.start(environment, this::notice, ZoneId.systemDefault());
  }

  private void notice(String line) {
    if (!quiet) {
      printer.accept(line);
    }
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
    return connect(hedges, 0);
  }

  /**
   * As the others.
   *
   * @param cachedEntries of what the client relies on without asking; 0: it asks each time
   */
  public ClusterConnection connect(HedgeOptions hedges, int cachedEntries) throws IOException {
    int seconds = timeoutSeconds();
    requireListening();
    List<Endpoint> endpoints = endpoints();
    LocalUser identity = LocalUser.current(user);
    ClientOptions.Builder wanted =
        // Commands only wait for their futures, so these may complete anywhere.
        ClientOptions.builder(endpoints, identity.name(), Runnable::run)
            .groups(identity.groups())
            .umask(identity.umask())
            .clientName(identity.clientName())
            .openTimeoutMillis(OPEN_TIMEOUT_MILLIS)
            .requestTimeoutMillis(seconds * 1_000)
            .hedges(hedges)
            .cachedEntries(cachedEntries);
    identity.host().ifPresent(wanted::host);
    try {
      return ClusterConnection.open(wanted.build(), environment, this::watch);
    } catch (WeftException e) {
      throw e.code() == ErrorCode.UNAVAILABLE ? withNextStep(e) : e;
    }
  }

  private ParameterException wrong(String message, Throwable cause) {
    return new ParameterException(
        mixee.commandLine(), "weft: " + mixee.name() + ": " + message, cause);
  }

  /**
   * Requires that one of the addresses accepts a connection within two seconds, or within the time
   * of {@code --wait}. Otherwise it fails with UNAVAILABLE; the message has the reason for every
   * address and a next step.
   */
  public void requireListening() throws IOException {
    List<Endpoint> endpoints = endpoints();
    int mostSeconds = waitSeconds == null ? 0 : checked("--wait", waitSeconds);
    PolledWait wait = PolledWait.every(PROBE).atMost(Duration.ofSeconds(mostSeconds));
    long saidNanos = WaitNotices.PATIENCE_NANOS - WaitNotices.PAUSE_NANOS;
    while (true) {
      Optional<String> failure = Listening.failure(endpoints);
      if (failure.isEmpty()) {
        return;
      }
      if (!wait.pause()) {
        throw withNextStep(
            new WeftException(
                ErrorCode.UNAVAILABLE,
                "no address of the cluster accepts a connection (" + failure.get() + ")"));
      }
      long waitedNanos = wait.waitedNanos();
      if (waitedNanos - saidNanos >= WaitNotices.PAUSE_NANOS) {
        saidNanos = waitedNanos;
        long seconds = TimeUnit.NANOSECONDS.toSeconds(waitedNanos);
        notice("waiting for the cluster for " + seconds + " s (" + failure.get() + ")");
      }
    }
  }

  private static WeftException withNextStep(WeftException failure) {
    return new WeftException(
        failure.code(),
        failure.getMessage()
            + "; start a cluster with `weft quickstart`, name one with --cluster HOST:PORT or "
            + VARIABLE
            + ", or wait for it with --wait",
        failure);
  }
}
