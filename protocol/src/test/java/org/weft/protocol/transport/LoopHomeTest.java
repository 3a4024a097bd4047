package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.protocol.transport.TestWire.get;

import com.google.protobuf.Empty;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/** State machines that live on an event loop, beside the connections that they ask by. */
class LoopHomeTest {
  private static final int LOOPS = 4;

  private TestWire wire;

  @AfterEach
  void end() {
    if (wire != null) {
      wire.close();
    }
  }

  private OwnedExecutor home(boolean localSockets) {
    wire =
        new TestWire(
            new TransportOptions(
                LOOPS, true, localSockets, 1 << 20, 1 << 16, 256 << 20, 5_000, 5_000, 64, 200));
    return wire.client.newHome().orElseThrow();
  }

  /** Of a task's thread. */
  private static String threadOf(OwnedExecutor home) throws Exception {
    return get(CompletableFuture.supplyAsync(() -> Thread.currentThread().getName(), home));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectionOfTheHomeHearsRepliesOnItsThread(boolean localSockets) throws Exception {
    OwnedExecutor home = home(localSockets);
    RpcListener listener = wire.listen(request -> request.reply(Empty.getDefaultInstance()));
    ConnectOptions options = ConnectOptions.to(Optional.empty(), "client").withHome(home);
    for (int turn = 0; turn < LOOPS; turn++) {
      RpcConnection connection = get(wire.client.connect(listener.address(), options));
      CompletableFuture<String> heard = new CompletableFuture<>();
      home.execute(() -> ask(connection, heard));
      assertEquals(threadOf(home), get(heard));
    }
  }

  private static void ask(RpcConnection connection, CompletableFuture<String> heard) {
    var unused =
        connection
            .call(RpcRequest.unsigned(Opcode.OSD_STATUS, Empty.getDefaultInstance(), 5_000))
            .whenComplete((reply, failure) -> heard.complete(Thread.currentThread().getName()));
  }

  @Test
  void tasksRunInTheirOrderThoughOneThrows() throws Exception {
    OwnedExecutor home = home(false);
    List<Integer> run = new CopyOnWriteArrayList<>();
    for (int task = 0; task < 100; task++) {
      int number = task;
      home.execute(
          () -> {
            run.add(number);
            if (number == 50) {
              throw new IllegalStateException("a task that fails, as the test wants");
            }
          });
    }
    home.close();
    assertEquals(IntStream.range(0, 100).boxed().toList(), run);
  }

  @Test
  void aHomeThatHasEndedTakesNoTasks() throws Exception {
    OwnedExecutor home = home(false);
    home.close();
    assertThrows(RejectedExecutionException.class, () -> home.execute(() -> {}));
    // The loop serves others still.
    wire.client.newHome().orElseThrow().close();
  }

  @Test
  void endingWaitsForTheTaskThatRuns() throws Exception {
    OwnedExecutor home = home(false);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<String> done = new CopyOnWriteArrayList<>();
    home.execute(
        () -> {
          begun.countDown();
          awaitOf(goOn);
          done.add("task");
        });
    begun.await();
    CompletableFuture<Void> ended =
        CompletableFuture.runAsync(home::close).thenRun(() -> done.add("end"));
    goOn.countDown();
    get(ended);
    assertEquals(List.of("task", "end"), done);
  }

  private static void awaitOf(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void noTaskEndsTheHomeThatItRunsIn() throws Exception {
    OwnedExecutor home = home(false);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    home.execute(
        () -> {
          try {
            home.close();
            thrown.complete(null);
          } catch (IllegalStateException e) {
            thrown.complete(e);
          }
        });
    assertTrue(get(thrown) instanceof IllegalStateException);
  }

  @Test
  void endingAfterTheTransportIsNoFailure() {
    OwnedExecutor home = home(false);
    wire.client.close();
    home.close();
  }
}
