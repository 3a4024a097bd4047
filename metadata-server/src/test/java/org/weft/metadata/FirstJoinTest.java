package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.weft.client.cluster.SysmgrLink;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** A manager that starts beside a SysMgr that is away or slow. */
class FirstJoinTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final Endpoint SYSMGR = new Endpoint("sysmgr", 7300);
  private static final byte[] TOKEN = new byte[32];
  private static final int TIMEOUT_SECONDS = 300;
  private static final JoinReply REPLY = JoinReply.newBuilder().setNodeId(3).build();

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final OwnedExecutor home = time.newSerialExecutor("home");
  private final SysmgrCalls calls =
      new SysmgrCalls(
          new SysmgrLink(wire, List.of(SYSMGR), () -> Optional.of(CLUSTER), "manager", 1_000, home),
          TOKEN);
  private int asked;
  private int joinedAs;

  private void listen(Consumer<InboundRequest> answer) {
    time.await(
        wire.listen(
                SYSMGR,
                ListenOptions.of(() -> Optional.of(CLUSTER), "sysmgr", 0),
                request -> {
                  asked++;
                  // Else its answers count for nothing.
                  assertTrue(request.signedWith(TOKEN));
                  answer.accept(request);
                })
            .toCompletableFuture());
  }

  private CompletableFuture<Void> begun() {
    FirstJoin join =
        new FirstJoin(
            environment,
            home,
            () -> calls.join(JoinRequest.getDefaultInstance(), SysmgrCalls.FIRST_JOIN_MILLIS),
            (reply, sentNanos) -> joinedAs = reply.getNodeId(),
            1_000 * TIMEOUT_SECONDS);
    home.execute(join::begin);
    return join.joined();
  }

  private void pass(int seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static ErrorCode failureOf(CompletableFuture<Void> joined) {
    return WeftException.of(assertThrows(CompletionException.class, joined::join)).code();
  }

  @Test
  void aSysmgrThatStartsMinutesLaterIsJoined() {
    CompletableFuture<Void> joined = begun();
    pass(TIMEOUT_SECONDS - 60);
    assertFalse(joined.isDone());
    listen(request -> request.reply(REPLY));
    time.await(joined);
    assertEquals(3, joinedAs);
  }

  @Test
  void lateJoinAnswerCountsWithoutARestart() {
    listen(request -> time.after(TimeUnit.SECONDS.toNanos(5), () -> request.reply(REPLY)));
    time.await(begun());
    assertEquals(3, joinedAs);
    assertEquals(1, asked);
  }

  @Test
  void firstJoinFailsAfterItsTimeout() {
    CompletableFuture<Void> joined = begun();
    pass(TIMEOUT_SECONDS + 1);
    assertTrue(joined.isDone());
    assertEquals(ErrorCode.UNAVAILABLE, failureOf(joined));
  }

  @Test
  void aRefusalEndsItAtOnce() {
    listen(request -> request.fail(new WeftException(ErrorCode.FENCED, "another is in its place")));
    CompletableFuture<Void> joined = begun();
    pass(1);
    assertTrue(joined.isDone());
    assertEquals(ErrorCode.FENCED, failureOf(joined));
    assertEquals(1, asked);
  }
}
