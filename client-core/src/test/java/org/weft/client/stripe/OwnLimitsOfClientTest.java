package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Transport;

/**
 * A client that is short of memory or descriptors of its own: it tries again, says what it is short
 * of, and neither reports nor avoids any OSD.
 */
class OwnLimitsOfClientTest {
  private static final Layout LAYOUT = new Layout(4, 2, StripeWorld.UNIT_BYTES, 6, 1);
  private static final int FOR_EVER = Integer.MAX_VALUE;

  private final StripeWorld world = new StripeWorld(7, 8);
  private final List<WriteTerms> asked = new ArrayList<>();
  private int connectsToFail;
  private int callsToFail;
  private final StripeEngine engine = engine();

  private StripeEngine engine() {
    Environment environment =
        new Environment(
            world.time, world.time, world.time, world.random, new Short(), () -> "boot");
    return new StripeEngine(
        environment,
        new OsdConnections(
            environment,
            osd -> List.of(world.osd(osd).address()),
            () -> Optional.of(StripeWorld.CLUSTER),
            "client"),
        world.time.newPool("short", 4, 10_000),
        StripeWorld.OPTIONS);
  }

  /** The world's wire in a process that has no descriptors, or no memory, for some calls. */
  private final class Short implements Transport {
    @Override
    public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
      if (connectsToFail > 0) {
        connectsToFail--;
        return CompletableFuture.failedFuture(
            new WeftException(
                ErrorCode.UNAVAILABLE,
                remote + ": cannot connect",
                new java.net.SocketException("socket(..) failed: Too many open files")));
      }
      return world.wire.connect(remote, options).thenApply(ShortConnection::new);
    }

    @Override
    public CompletionStage<RpcListener> listen(
        Endpoint local, ListenOptions options, RpcService service) {
      return world.wire.listen(local, options, service);
    }

    @Override
    public void close() {
      world.wire.close();
    }
  }

  private final class ShortConnection implements RpcConnection {
    private final RpcConnection real;

    ShortConnection(RpcConnection real) {
      this.real = real;
    }

    @Override
    public PeerInfo peer() {
      return real.peer();
    }

    @Override
    public CompletableFuture<RpcReply> call(RpcRequest request) {
      if (callsToFail > 0) {
        callsToFail--;
        request.payload().release();
        return CompletableFuture.failedFuture(
            new WeftException(
                ErrorCode.CONNECTION_LOST,
                peer().name() + ": connection lost",
                new OutOfMemoryError("failed to allocate 8388608 byte(s) of direct memory")));
      }
      return real.call(request);
    }

    @Override
    public boolean isOpen() {
      return real.isOpen();
    }

    @Override
    public int callsUnderWay() {
      return real.callsUnderWay();
    }

    @Override
    public long heardNanos() {
      return real.heardNanos();
    }

    @Override
    public CompletableFuture<Void> closed() {
      return real.closed();
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private byte[] stored(StripedFile file) {
    byte[] content = world.bytes(8 * StripeWorld.UNIT_BYTES);
    world.writeAll(file, content);
    return content;
  }

  private CompletableFuture<Integer> read(StripedFile file, ByteBuffer target) {
    return engine.read(file, target.capacity(), false, world.failures::add).read(0, target);
  }

  private StripeWriter writer(StripedFile file) {
    Regrants regrants =
        (terms, lost, complete) -> {
          asked.add(terms);
          return CompletableFuture.failedFuture(
              new WeftException(ErrorCode.UNAVAILABLE, "not now"));
        };
    return engine.write(new WriteTerms(file, world.grant(file)), regrants, world.failures::add);
  }

  private WeftException failureOf(CompletableFuture<?> work) {
    world.time.runUntil("it has ended", work::isDone);
    return work.handle((value, thrown) -> WeftException.of(new CompletionException(thrown))).join();
  }

  private void assertNoOsdIsBlamed() {
    assertEquals(List.of(), world.failures);
    assertEquals(List.of(), asked, "the manager was asked to do without a component");
    for (int osd = 1; osd <= 8; osd++) {
      assertFalse(
          engine.context().suspects().isSuspect(new OsdId(osd)), "OSD " + osd + " is avoided");
    }
  }

  private void fail(String what, int times) {
    if (what.equals("connects")) {
      connectsToFail = times;
    } else {
      callsToFail = times;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"connects", "calls"})
  void aReadSucceedsOnceThereIsMemoryAgain(String what) {
    StripedFile file = world.newFile(LAYOUT);
    byte[] content = stored(file);
    fail(what, 9);
    ByteBuffer target = ByteBuffer.allocate(content.length);
    world.time.await(read(file, target));
    assertArrayEquals(content, target.array());
    assertNoOsdIsBlamed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"connects", "calls"})
  void aReadThatFailsSaysWhatThisProcessIsShortOf(String what) {
    StripedFile file = world.newFile(LAYOUT);
    byte[] content = stored(file);
    fail(what, FOR_EVER);
    WeftException failure = failureOf(read(file, ByteBuffer.allocate(content.length)));
    assertTrue(failure.getMessage().contains("this process has"), failure.getMessage());
    assertFalse(failure.getMessage().contains("lost"), failure.getMessage());
    assertNoOsdIsBlamed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"connects", "calls"})
  void aWriteSucceedsOnceThereIsMemoryAgain(String what) {
    StripedFile file = world.newFile(LAYOUT);
    fail(what, 9);
    byte[] content = world.bytes(8 * StripeWorld.UNIT_BYTES);
    world.time.await(world.write(writer(file), content));
    ByteBuffer target = ByteBuffer.allocate(content.length);
    world.time.await(read(file, target));
    assertArrayEquals(content, target.array());
    assertNoOsdIsBlamed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"connects", "calls"})
  void aWriteThatFailsSaysWhatThisProcessIsShortOf(String what) {
    StripedFile file = world.newFile(LAYOUT);
    fail(what, FOR_EVER);
    WeftException failure =
        failureOf(world.write(writer(file), world.bytes(8 * StripeWorld.UNIT_BYTES)));
    assertTrue(failure.getMessage().contains("this process has"), failure.getMessage());
    assertFalse(failure.getMessage().contains("failed, tries"), failure.getMessage());
    assertNoOsdIsBlamed();
  }

  @Test
  void anOsdThatIsReallyGoneIsReportedStill() {
    StripedFile file = world.newFile(LAYOUT);
    byte[] content = stored(file);
    world.osdOf(file, 0).stop();
    ByteBuffer target = ByteBuffer.allocate(content.length);
    world.time.await(read(file, target));
    assertArrayEquals(content, target.array());
    assertFalse(world.failures.isEmpty());
  }
}
