package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.weft.osd.OsdAssembly;
import org.weft.osd.harness.OsdRig;
import org.weft.osd.harness.StubStore;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Transport;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sysmgr.FakeCluster;

/** An OSD that is closed while it starts leaves no port open. */
class LateListenerTest {
  private static final Endpoint ANY = new Endpoint("localhost", 1);

  private final VirtualTime time = new VirtualTime(1);
  private final RandomGenerator random = new SplittableRandom(1);
  private final CompletableFuture<RpcListener> listening = new CompletableFuture<>();
  private int stops;

  private final Transport transport =
      new Transport() {
        @Override
        public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
          throw new AssertionError("it is closed, and asks " + remote);
        }

        @Override
        public CompletionStage<RpcListener> listen(
            Endpoint local, ListenOptions options, RpcService service) {
          return listening;
        }

        @Override
        public void close() {}
      };

  private final RpcListener listener =
      new RpcListener() {
        @Override
        public Endpoint address() {
          return ANY;
        }

        @Override
        public CompletionStage<Void> stop() {
          stops++;
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {
          throw new IllegalStateException("a listener cannot be closed on its own event loop");
        }
      };

  @Test
  void aListenerThatComesAfterTheEndIsStopped() {
    OsdAssembly osd =
        new OsdAssembly(
            OsdRig.options(Path.of("unused"), FakeCluster.seeded(3), List.of(ANY)),
            1L << 20,
            StubStore.answering(
                mutation -> {
                  throw new AssertionError(mutation);
                }),
            OptionalLong::empty,
            new Environment(time, time, time, random, transport, () -> "boot"));
    CompletableFuture<Void> begun = osd.begin();
    osd.close();
    listening.complete(listener);
    assertEquals(1, stops);
    assertTrue(begun.isCompletedExceptionally());
  }
}
