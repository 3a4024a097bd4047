package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.nfs.portmap.PortLookup;

/**
 * Calls the status monitors of clients. Each is looked up with the portmapper at the client's
 * address. Calls leave from the address that the client mounted, and name it, since a client
 * compares both with what it mounted. Datagrams also leave from a reserved port, where that is
 * allowed.
 */
public final class StatusMonitorCalls implements NoticeCalls {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** Reserved ports that few services have. */
  private static final int FIRST_PORT = 665;

  private static final int PORTS = 359;

  private final OncRpcTransport transport;
  private final int portmapPort;
  private final RandomGenerator random;
  private final Executor executor;

  /**
   * @param portmapPort of clients, usually 111
   */
  public StatusMonitorCalls(
      OncRpcTransport transport, int portmapPort, RandomGenerator random, Executor executor) {
    this.transport = transport;
    this.portmapPort = portmapPort;
    this.random = random;
    this.executor = executor;
  }

  @Override
  public CompletionStage<Void> tell(
      InetAddress server, InetAddress client, int state, boolean datagrams) {
    OncRpcClient.Call<Integer> lookup =
        PortLookup.call(NsmProcedure.PROGRAM, NsmProcedure.VERSION, datagrams);
    OncRpcClient.Call<Integer> notice =
        new OncRpcClient.Call<>(
            new OncRpcClient.Target(
                NsmProcedure.PROGRAM, NsmProcedure.VERSION, NsmProcedure.NOTIFY.number()),
            new RpcCredential.Sys(0, "weft-nfs", 0, 0, List.of()),
            new NsmMessage.Notice(name(server), state)::write,
            in -> 0);
    return call(server, 0, new InetSocketAddress(client, portmapPort), lookup, datagrams)
        .thenCompose(
            port ->
                port == 0
                    ? CompletableFuture.<Integer>failedFuture(
                        new RpcFailedException(
                            "the portmapper at " + client + " knows of no status monitor"))
                    : call(
                        server,
                        FIRST_PORT + random.nextInt(PORTS),
                        new InetSocketAddress(client, port),
                        notice,
                        datagrams))
        .thenApply(done -> null);
  }

  /** As people write it, without the interface. */
  static String name(InetAddress server) {
    return MonitoredClient.withoutInterface(server);
  }

  private <T> CompletionStage<T> call(
      InetAddress server,
      int local,
      InetSocketAddress remote,
      OncRpcClient.Call<T> call,
      boolean datagrams) {
    if (datagrams) {
      return transport.ask(
          new InetSocketAddress(server, local), remote, call, TIMEOUT_MILLIS, executor);
    }
    return transport
        .connectFrom(new InetSocketAddress(server, 0), remote, TIMEOUT_MILLIS, executor)
        .thenCompose(client -> client.call(call).whenComplete((done, failure) -> client.close()));
  }
}
