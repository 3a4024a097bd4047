package org.weft.nfs.portmap;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcFailedException;

/**
 * Registers programs with the portmapper that the host runs, by version 2 of its protocol (RFC 1833
 * section 3.2). Many take registrations from this host alone, and some from reserved ports alone,
 * which needs the right to use one.
 */
public final class HostPortmapper {
  private static final int VERSION = 2;
  private static final int SET = 1;
  private static final int UNSET = 2;
  private static final int TIMEOUT_MILLIS = 5_000;

  /** Reserved ports on which services seldom listen; tried from the last one. */
  private static final int FIRST_PORT = 1_023;

  private static final int LAST_PORT = 1_008;

  private final OncRpcTransport transport;
  private final InetSocketAddress portmapper;
  private final boolean reservedPort;
  private final Executor executor;

  /**
   * @param portmapper usually port 111 of the loopback address
   * @param reservedPort call from a reserved port
   * @param executor where results are delivered
   */
  public HostPortmapper(
      OncRpcTransport transport,
      InetSocketAddress portmapper,
      boolean reservedPort,
      Executor executor) {
    this.transport = transport;
    this.portmapper = portmapper;
    this.reservedPort = reservedPort;
    this.executor = executor;
  }

  /**
   * Registers them, in place of what was registered for the same versions.
   *
   * @return fails with {@link RpcFailedException} if there is no portmapper, or it refuses
   */
  public CompletionStage<Void> register(List<Registration> registrations) {
    return with(
        client -> {
          // UNSET ignores the protocol (RFC 1833 section 3.2): none may follow a SET.
          CompletionStage<Void> all = unset(client, registrations);
          for (Registration each : registrations) {
            all =
                all.thenCompose(done -> call(client, SET, each))
                    .thenCompose(set -> set ? done() : refused(each));
          }
          return all;
        });
  }

  /** Another server of the host is registered for the program. */
  public CompletionStage<Boolean> knows(Registration what) {
    return connect(FIRST_PORT)
        .thenCompose(
            client ->
                PortLookup.ask(client, what.program(), what.version())
                    .whenComplete((done, failure) -> client.close()))
        .thenApply(port -> port != 0 && port != what.port());
  }

  /** Takes registrations back; what is not there is passed over. */
  public CompletionStage<Void> unregister(List<Registration> registrations) {
    return with(client -> unset(client, registrations));
  }

  private CompletionStage<Void> unset(OncRpcClient client, List<Registration> registrations) {
    CompletionStage<Void> all = done();
    for (Registration each : registrations) {
      all = all.thenCompose(done -> call(client, UNSET, each)).thenApply(done -> null);
    }
    return all;
  }

  @FunctionalInterface
  private interface Work {
    CompletionStage<Void> with(OncRpcClient client);
  }

  private CompletionStage<Void> with(Work work) {
    return connect(FIRST_PORT)
        .thenCompose(client -> work.with(client).whenComplete((done, failure) -> client.close()));
  }

  /** From the next reserved port that is free. */
  private CompletionStage<OncRpcClient> connect(int port) {
    OptionalInt local = reservedPort ? OptionalInt.of(port) : OptionalInt.empty();
    CompletionStage<OncRpcClient> connecting =
        transport.connect(portmapper, local, TIMEOUT_MILLIS, executor);
    if (!reservedPort || port == LAST_PORT) {
      return connecting;
    }
    return connecting
        .handle(
            (client, failure) ->
                failure == null ? CompletableFuture.completedFuture(client) : connect(port - 1))
        .thenCompose(next -> next);
  }

  private CompletionStage<Boolean> call(OncRpcClient client, int procedure, Registration what) {
    return client.call(
        new OncRpcClient.Target(Portmapper.PROGRAM, VERSION, procedure),
        new RpcCredential.None(),
        out -> new Mapping(what.program(), what.version(), what.protocol(), what.port()).write(out),
        in -> in.bool());
  }

  private static CompletionStage<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletionStage<Void> refused(Registration what) {
    return CompletableFuture.failedFuture(
        new RpcFailedException(
            "the portmapper at %s refuses to register program %d version %d: another server has it, or it wants a caller from a reserved port (start as root)"
                .formatted(portmapper, what.program(), what.version())));
  }
}
