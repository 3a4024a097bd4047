package org.weft.nfs.locks;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.nfs.portmap.PortLookup;
import org.weft.protocol.seam.Environment;

/**
 * Calls the lock managers of clients. Each is looked up with the portmapper at the client's
 * address. Calls leave from the address that the client mounted, since clients compare it.
 */
public final class LockManagerCalls implements GrantedCalls, MessageCalls {
  private static final Logger LOG = LoggerFactory.getLogger(LockManagerCalls.class);

  static final RpcCredential CREDENTIAL = new RpcCredential.Sys(0, "weft-nfs", 0, 0, List.of());

  private static final int TIMEOUT_MILLIS = 5_000;

  private final OncRpcTransport transport;
  private final int portmapPort;
  private final Executor executor;
  private final MessageConnections messages;

  /**
   * @param portmapPort of clients, usually 111
   * @param executor runs one task after another
   */
  public LockManagerCalls(
      OncRpcTransport transport, int portmapPort, Environment environment, Executor executor) {
    this.transport = transport;
    this.portmapPort = portmapPort;
    this.executor = executor;
    this.messages = new MessageConnections(this::reach, environment, executor);
  }

  @Override
  public CompletionStage<Void> send(LockPeer peer, NlmProcedure procedure, NlmMessage message) {
    return messages.send(peer, procedure, message);
  }

  @Override
  public CompletionStage<Optional<NlmStatus>> granted(
      NlmOwner owner, NlmMessage.Test message, boolean asMessage) {
    LockPeer peer = owner.peer();
    // Behind the LOCK_RES that said BLOCKED, on the same connection.
    return asMessage
        ? send(peer, NlmProcedure.GRANTED_MSG, message).thenApply(sent -> Optional.empty())
        : reach(peer)
            .thenCompose(
                client -> granted(client, message).whenComplete((done, failure) -> client.close()));
  }

  private CompletionStage<OncRpcClient> reach(LockPeer peer) {
    return connect(peer, portmapPort)
        .thenCompose(
            client ->
                PortLookup.ask(client, NlmProcedure.PROGRAM, NlmProcedure.VERSION)
                    .whenComplete((done, failure) -> client.close()))
        .thenCompose(
            port ->
                port == 0
                    ? CompletableFuture.failedFuture(
                        new RpcFailedException(
                            "the portmapper at " + peer.client() + " knows of no lock manager"))
                    : connect(peer, port));
  }

  private CompletionStage<OncRpcClient> connect(LockPeer peer, int port) {
    return transport.connectFrom(
        new InetSocketAddress(peer.server(), 0),
        new InetSocketAddress(peer.client(), port),
        TIMEOUT_MILLIS,
        executor);
  }

  /** Empty if no answer comes: the call may have been carried out. */
  private static CompletionStage<Optional<NlmStatus>> granted(
      OncRpcClient client, NlmMessage.Test message) {
    return client
        .call(
            new OncRpcClient.Target(
                NlmProcedure.PROGRAM, NlmProcedure.VERSION, NlmProcedure.GRANTED.number()),
            CREDENTIAL,
            message::write,
            NlmMessage.Answer::read)
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                LOG.debug("GRANTED was not answered: {}", failure.toString());
              }
              return Optional.ofNullable(answer).map(NlmMessage.Answer::status);
            });
  }
}
