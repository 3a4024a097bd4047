package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** Clients that are not reached cost bounded work. */
class MessageConnectionsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final NlmMessage MESSAGE =
      new NlmMessage.Answer(new NetObject(new byte[] {1}), NlmStatus.GRANTED);

  private final VirtualTime time = new VirtualTime(96_230_000);
  private final List<CompletableFuture<OncRpcClient>> attempts = new ArrayList<>();
  private final MessageConnections connections =
      new MessageConnections(
          peer -> {
            CompletableFuture<OncRpcClient> attempt = new CompletableFuture<>();
            attempts.add(attempt);
            return attempt;
          },
          new Environment(time, time, time, new Random(1), null, null),
          time.newSerialExecutor("nfs-gateway"));

  private static LockPeer peer(int number) throws Exception {
    return new LockPeer(
        InetAddress.getLoopbackAddress(),
        InetAddress.getByAddress(new byte[] {10, 1, (byte) (number >> 8), (byte) number}));
  }

  private CompletionStage<Void> send(int peer) throws Exception {
    return connections.send(peer(peer), NlmProcedure.LOCK_RES, MESSAGE);
  }

  private boolean hasFailed(CompletionStage<Void> sent) {
    return sent.toCompletableFuture().isCompletedExceptionally();
  }

  @Test
  void aClientThatIsNotReachedIsTriedOnceInAPause() throws Exception {
    List<CompletionStage<Void>> sent = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      sent.add(send(1));
    }
    time.runUntil("it is called", () -> attempts.size() == 1);
    attempts.get(0).completeExceptionally(new RpcFailedException("no host answers"));
    time.runUntil("all are given up", () -> sent.stream().allMatch(this::hasFailed));
    CompletionStage<Void> early = send(1);
    time.runUntil("given up at once", () -> hasFailed(early));
    assertEquals(1, attempts.size());
    time.pass(3 * SECOND);
    assertEquals(List.of(), time.await(connections.peers()), "nothing is held of it");
    var unused = send(1);
    time.runUntil("it is called anew", () -> attempts.size() == 2);
  }

  @Test
  void messagesAreTreatedInTheOrderInWhichTheyCame() throws Exception {
    List<Integer> ended = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      var unused = send(1).whenComplete((sent, failure) -> ended.add(number));
    }
    time.runUntil("it is called", () -> attempts.size() == 1);
    attempts.get(0).completeExceptionally(new RpcFailedException("no host answers"));
    time.runUntil("all are given up", () -> ended.size() == 100);
    assertEquals(IntStream.range(0, 100).boxed().toList(), ended);
  }

  @Test
  void clientsBeyondTheBoundAreNotCalled() throws Exception {
    for (int i = 0; i < MessageConnections.MAX_PEERS; i++) {
      var unused = send(i);
    }
    CompletionStage<Void> more = send(MessageConnections.MAX_PEERS);
    time.runUntil("it is given up", () -> hasFailed(more));
    assertEquals(MessageConnections.MAX_PEERS, attempts.size());
    assertTrue(attempts.stream().noneMatch(CompletableFuture::isDone));
  }
}
