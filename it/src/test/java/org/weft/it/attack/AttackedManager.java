package org.weft.it.attack;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.ManagerOptions;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.ConnectOptions.PushListener;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.JoinRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.process.Await;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/** A manager that serves the root volume on a socket of the loopback, and connections to it. */
final class AttackedManager implements AutoCloseable {
  static final long VOLUME = FakeCluster.ROOT_VOLUME;

  private static final int OSDS = 4;
  private static final int SECONDS = 20;
  private static final Endpoint ANY = new Endpoint("127.0.0.1", 0);

  private final Path folder;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final FakeCluster cluster = FakeCluster.seeded(1);
  private final List<AutoCloseable> open = new ArrayList<>();
  private final FakeSysmgr sysmgr;
  private ManagerDaemon manager;

  AttackedManager(Path folder) throws Exception {
    this.folder = folder;
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
    byte[] key = cluster.partition(VOLUME).getKeys(0).getKey().toByteArray();
    for (int number = 1; number <= OSDS; number++) {
      OwnedExecutor commands = system.environment().scheduler().newPool("osd" + number, 1, 10_000);
      FakeOsd osd =
          FakeOsd.start(
              new OsdId(number),
              cluster.clusterId(),
              system.environment().transport(),
              commands,
              key);
      open.add(osd);
      open.add(commands);
      join(osd, number);
    }
    start();
  }

  private void join(FakeOsd osd, int number) throws Exception {
    Endpoint listening = osd.address();
    JoinRequest request =
        JoinRequest.newBuilder()
            .setIdentity("osd" + number)
            .addAddresses(listening.toMessage())
            .setHost("host-" + number)
            .setIncarnation(1)
            .setCapacityBytes(1L << 40)
            .build();
    try (RpcConnection connection =
        connect(sysmgr.address(), ConnectOptions.to(Optional.empty(), "test"))) {
      connection
          .call(
              RpcRequest.signed(
                  Opcode.JOIN_OSD, request, 5_000, JoinSecret.of(cluster.joinToken())))
          .get(SECONDS, TimeUnit.SECONDS)
          .payload()
          .release();
    }
  }

  private RpcConnection connect(Endpoint where, ConnectOptions how) throws Exception {
    return system
        .environment()
        .transport()
        .connect(where, how)
        .toCompletableFuture()
        .get(SECONDS, TimeUnit.SECONDS);
  }

  private void start() throws Exception {
    manager =
        ManagerDaemon.start(
            new ManagerOptions(
                folder, ANY, ANY, List.of(sysmgr.address()), cluster.joinToken(), "host", OSDS),
            system.environment());
    Await.until(SECONDS, () -> "the manager serves: " + manager.problems(), manager::isServing);
  }

  /** Another start of the manager, with what the journal of this one holds. */
  void restart() throws Exception {
    manager.close();
    start();
  }

  /** What daemons sign with. */
  byte[] joinSecret() {
    return JoinSecret.of(cluster.joinToken());
  }

  Endpoint address() {
    return manager.address();
  }

  /** A connection for requests. */
  Wire wire() throws Exception {
    return wire(address());
  }

  /** A connection for requests by way of another address. */
  Wire wire(Endpoint by) throws Exception {
    return wire(by, false, (opcode, body) -> {});
  }

  /** A connection for what the manager asks of its own accord. */
  Wire controlWire(PushListener pushes) throws Exception {
    return wire(address(), true, pushes);
  }

  private Wire wire(Endpoint by, boolean control, PushListener pushes) throws Exception {
    ConnectOptions how =
        new ConnectOptions(Optional.of(cluster.clusterId()), "stranger", 5_000, control, pushes);
    return new Wire(connect(by, how));
  }

  /** A connection that sends whatever it is told to. */
  record Wire(RpcConnection connection) {
    /**
     * @param secret null for a request without MAC
     */
    <T> T ask(Parser<T> parser, Opcode opcode, MessageLite body, byte[] secret)
        throws WeftException {
      try {
        return connection
            .call(RpcRequest.signed(opcode, body, SECONDS * 1_000, secret))
            .get(SECONDS, TimeUnit.SECONDS)
            .parse(parser);
      } catch (ExecutionException | TimeoutException e) {
        throw WeftException.of(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw WeftException.of(e);
      }
    }
  }

  @Override
  public void close() throws Exception {
    manager.close();
    for (AutoCloseable each : open) {
      each.close();
    }
    sysmgr.close();
    system.close();
  }
}
