package org.weft.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.testkit.process.Await;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

class ClusterOptionsTest {
  @Command(name = "probe")
  private static final class Probe implements Runnable {
    @Mixin private ClusterOptions options = new ClusterOptions();

    @Override
    public void run() {}
  }

  @Command(name = "words")
  private static final class Words implements Runnable {
    @Mixin private ClusterOptions options = new ClusterOptions();
    @Parameters private List<String> arguments;

    @Override
    public void run() {}
  }

  private static ClusterOptions parse(String... arguments) {
    Probe probe = new Probe();
    new CommandLine(probe).parseArgs(arguments);
    return probe.options;
  }

  @Test
  void theOptionWinsOverTheVariableAndThatOverTheQuickstart() {
    Map<String, String> variables = Map.of("WEFT_CLUSTER", "b:2");
    assertEquals(List.of(new Endpoint("a", 1)), parse("--cluster", "a:1").endpoints(variables));
    assertEquals(List.of(new Endpoint("b", 2)), parse().endpoints(variables));
    assertEquals(List.of(new Endpoint("127.0.0.1", 7300)), parse().endpoints(Map.of()));
  }

  @Test
  void severalAddressesAreSeparatedByCommas() {
    assertEquals(
        List.of(new Endpoint("a", 1), new Endpoint("::1", 2)),
        parse("--cluster", "a:1, [::1]:2").endpoints(Map.of()));
  }

  @Test
  void invalidAddressIsNamedWithItsSource() {
    ParameterException option =
        assertThrows(ParameterException.class, () -> parse("--cluster", "a").endpoints(Map.of()));
    assertTrue(option.getMessage().startsWith("weft: probe: --cluster: "), option.getMessage());
    ParameterException variable =
        assertThrows(
            ParameterException.class, () -> parse().endpoints(Map.of("WEFT_CLUSTER", "host:port")));
    assertTrue(
        variable.getMessage().startsWith("weft: probe: WEFT_CLUSTER: "), variable.getMessage());
  }

  @Test
  void aClusterThatDoesNotAnswerIsUnavailableWithANextStep() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    ClusterOptions options = parse("--cluster", "127.0.0.1:" + port);
    WeftException failure = assertThrows(WeftException.class, () -> options.connect().close());
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("127.0.0.1:" + port), failure.getMessage());
    assertTrue(failure.getMessage().contains("weft quickstart"), failure.getMessage());
  }

  @Test
  void everyAddressIsNamedWithItsOwnReason() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    ClusterOptions options = parse("--cluster", "127.0.0.1:" + port + ",no-such-host.invalid:1");
    WeftException failure = assertThrows(WeftException.class, options::requireListening);
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(
        failure.getMessage().contains("127.0.0.1:" + port + ": connection refused"),
        failure.getMessage());
    assertTrue(failure.getMessage().contains("no-such-host.invalid:1: "), failure.getMessage());
  }

  @Test
  void oneAcceptingAddressIsEnough() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      parse("--cluster", "127.0.0.1:1,127.0.0.1:" + socket.getLocalPort()).requireListening();
    }
  }

  /** As one that is being started. */
  @Test
  void aClusterThatIsWaitedForIsFoundWhenItListens() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    ClusterOptions options = parse("--wait", "--cluster", "127.0.0.1:" + port);
    FutureTask<Boolean> waiting =
        new FutureTask<>(
            () -> {
              options.requireListening();
              return true;
            });
    Thread thread = new Thread(waiting, "waits");
    thread.start();
    // It sleeps between two attempts only.
    Await.that(() -> thread.getState() == Thread.State.TIMED_WAITING || waiting.isDone());
    assertFalse(waiting.isDone(), "it does not give up");
    try (ServerSocket listening = new ServerSocket(port, 10, InetAddress.getLoopbackAddress())) {
      assertTrue(waiting.get(60, TimeUnit.SECONDS), "at " + listening.getLocalPort());
    }
  }

  @Test
  void theWaitIsAnAttachedNumberOrNone() {
    assertThrows(
        ParameterException.class,
        () -> parse("--wait=0", "--cluster", "127.0.0.1:1").requireListening());
    assertThrows(ParameterException.class, () -> parse("--wait=soon"));
    parse("--wait=5");
    Words words = new Words();
    new CommandLine(words).parseArgs("--wait", "7", "--quiet");
    assertEquals(List.of("7"), words.arguments, "the word behind it is an argument");
    assertTrue(words.options.isQuiet());
  }

  @Test
  void theUserOfTheSystemIsKnownWithGroupsAndUmask() {
    LocalUser user = LocalUser.current(null);
    assertEquals(System.getProperty("user.name"), user.name());
    assertFalse(user.groups().isEmpty());
    assertEquals(0, user.umask() & ~0777);
    assertTrue(user.clientName().contains("/" + ProcessHandle.current().pid() + "/"));
    assertEquals(List.of(), LocalUser.current("no-such-user-here").groups());
  }
}
