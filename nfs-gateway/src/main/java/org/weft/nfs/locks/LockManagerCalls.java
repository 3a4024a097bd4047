package org.weft.nfs.locks;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.nfs.portmap.PortLookup;

/**
 * Calls the lock managers of clients: each is looked up with the portmapper at the client's
 * address. Calls leave from the address that the client mounted, since clients compare it.
 */
public final class LockManagerCalls implements GrantedCalls {
  private static final int TIMEOUT_MILLIS = 5_000;

  private final OncRpcTransport transport;
  private final int portmapPort;
  private final Executor executor;

  /**
   * @param portmapPort of clients, usually 111
   */
  public LockManagerCalls(OncRpcTransport transport, int portmapPort, Executor executor) {
    this.transport = transport;
    this.portmapPort = portmapPort;
    this.executor = executor;
  }

  @Override
  public CompletionStage<NlmStatus> granted(NlmOwner owner, NlmMessage.Test message) {
    return with(
            owner,
            portmapPort,
            client -> PortLookup.ask(client, NlmProcedure.PROGRAM, NlmProcedure.VERSION))
        .thenCompose(
            port ->
                port == 0
                    ? CompletableFuture.failedFuture(
                        new RpcFailedException(
                            "the portmapper at " + owner.client() + " knows of no lock manager"))
                    : with(owner, port, client -> call(client, message)));
  }

  private <T> CompletionStage<T> with(
      NlmOwner owner, int port, Function<OncRpcClient, CompletionStage<T>> work) {
    return transport
        .connectFrom(
            new InetSocketAddress(owner.server(), 0),
            new InetSocketAddress(owner.client(), port),
            TIMEOUT_MILLIS,
            executor)
        .thenCompose(client -> work.apply(client).whenComplete((done, failure) -> client.close()));
  }

  private static CompletionStage<NlmStatus> call(OncRpcClient client, NlmMessage.Test message) {
    return client
        .call(
            new OncRpcClient.Target(
                NlmProcedure.PROGRAM, NlmProcedure.VERSION, NlmProcedure.GRANTED.number()),
            new RpcCredential.Sys(0, "weft-nfs", 0, 0, List.of()),
            message::write,
            NlmMessage.Answer::read)
        .thenApply(NlmMessage.Answer::status);
  }
}
