package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;

/** Calls whose replies are of no interest. */
class OncRpcClientTest {
  private static final int DEADLINE_SECONDS = 60;

  /** Longer than the test waits: what completes was not given up. */
  private static final int TIMEOUT_MILLIS = 600_000;

  private static final OncRpcClient.Target HELD =
      new OncRpcClient.Target(EchoProgram.NUMBER, 2, EchoProgram.HELD);

  private final EchoProgram echo = new EchoProgram();
  private final SystemEnvironment system = SystemEnvironment.create();
  private OncRpcTransport transport;
  private OncRpcListener listener;
  private OncRpcClient client;

  @BeforeEach
  void connect() throws Exception {
    Environment environment = system.environment();
    transport =
        new OncRpcTransport(
            OncRpcOptions.USUAL,
            environment.scheduler(),
            environment.ticker(),
            environment.random());
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listener = now(transport.listen(any, List.of(echo.program())));
    client =
        now(
            transport.connect(
                listener.address(), OptionalInt.empty(), TIMEOUT_MILLIS, Runnable::run));
  }

  @AfterEach
  void close() {
    client.close();
    transport.close();
    system.close();
  }

  private static <T> T now(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private CompletionStage<Void> send(int argument) {
    return client.send(HELD, new RpcCredential.None(), out -> out.int32(argument));
  }

  @Test
  void callIsSentWithoutWaitingForAReply() throws Exception {
    now(send(1));
    now(send(2));
    EchoProgram.Held first = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    EchoProgram.Held second = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertEquals(1, first.argument());
    assertEquals(2, second.argument());
    second.answer();
    CompletionStage<Integer> asked =
        client.call(HELD, new RpcCredential.None(), out -> out.int32(3), XdrReader::int32);
    echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS).answer();
    assertEquals(3, now(asked), "a reply that is of no interest is no other call's");
  }

  @Test
  void aCallThatCannotBeSentFails() throws Exception {
    assertTrue(client.isOpen());
    client.close();
    ExecutionException failure = assertThrows(ExecutionException.class, () -> now(send(1)));
    assertTrue(failure.getCause() instanceof RpcFailedException, failure.toString());
    assertTrue(!client.isOpen());
  }
}
