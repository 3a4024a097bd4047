package org.weft.metadata;

import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Transport;

/** A client's transport over which not every push arrives. */
final class FilteredPushes implements Transport {
  private final Transport inner;
  private final BooleanSupplier arrives;
  private final Consumer<RpcConnection> opened;

  private FilteredPushes(Transport inner, BooleanSupplier arrives, Consumer<RpcConnection> opened) {
    this.inner = inner;
    this.arrives = arrives;
    this.opened = opened;
  }

  /**
   * An environment with such a transport.
   *
   * @param arrives asked for each push
   * @param opened told of each connection for pushes
   */
  static Environment in(
      Environment inner, BooleanSupplier arrives, Consumer<RpcConnection> opened) {
    return new Environment(
        inner.clock(),
        inner.ticker(),
        inner.scheduler(),
        inner.random(),
        new FilteredPushes(inner.transport(), arrives, opened),
        inner.bootIdentity());
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    if (!options.control()) {
      return inner.connect(remote, options);
    }
    ConnectOptions filtered =
        new ConnectOptions(
            options.clusterId(),
            options.caller(),
            options.timeoutMillis(),
            true,
            (opcode, body) -> {
              if (arrives.getAsBoolean()) {
                options.pushes().pushed(opcode, body);
              }
            });
    return inner
        .connect(remote, filtered)
        .thenApply(
            connection -> {
              opened.accept(connection);
              return connection;
            });
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
