package org.weft.metadata;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.client.ClientOptions;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.client.volume.KeepLocks;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Transport;
import org.weft.testkit.sim.SimProcess;

/** A client in a process of its own that locks ranges of files, and may not hear what is pushed. */
final class LockingClient {
  private final ManagerWorld world;
  private final SimProcess process;
  private final WeftClient client;
  private boolean deaf;

  LockingClient(ManagerWorld world, Optional<KeepLocks> keeping) {
    this.world = world;
    this.process = world.newProcess();
    Environment inner = process.environment();
    Environment outer =
        new Environment(
            inner.clock(),
            inner.ticker(),
            inner.scheduler(),
            inner.random(),
            new DeafTransport(inner.transport()),
            inner.bootIdentity());
    ClientOptions.Builder options =
        ClientOptions.builder(
                List.of(world.sysmgr.address()),
                "weft",
                inner.scheduler().newPool("callbacks", 2, 10_000))
            .groups(List.of("supergroup"))
            .clientName("locker");
    keeping.ifPresent(options::keepLocks);
    this.client = world.time.await(WeftClient.connect(options.build(), outer));
  }

  WeftClient client() {
    return client;
  }

  LockedFile open(String path, LockOwner owner) {
    return world.time.await(client.locks().open(WeftPath.of(path), owner));
  }

  /** Nothing that is pushed reaches it from now on. */
  void deafen() {
    deaf = true;
  }

  void kill() {
    process.kill();
  }

  void pause() {
    process.pause();
  }

  void resume() {
    process.resume();
  }

  private final class DeafTransport implements Transport {
    private final Transport inner;

    DeafTransport(Transport inner) {
      this.inner = inner;
    }

    @Override
    public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
      ConnectOptions hearing =
          new ConnectOptions(
              options.clusterId(),
              options.caller(),
              options.timeoutMillis(),
              options.control(),
              (opcode, body) -> {
                if (!deaf) {
                  options.pushes().pushed(opcode, body);
                }
              });
      return inner.connect(remote, options.control() ? hearing : options);
    }

    @Override
    public CompletionStage<RpcListener> listen(
        Endpoint local, ListenOptions options, RpcService service) {
      return inner.listen(local, options, service);
    }

    @Override
    public void close() {
      inner.close();
    }
  }
}
