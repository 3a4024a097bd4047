package org.weft.nfs.locks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.protocol.seam.Environment;

/**
 * Sends messages to lock managers of clients, one connection to each. Replies are not waited for:
 * some lock managers give none to a message. A connection that is not used for a while is closed.
 * While a client is not reached, its messages fail at once; after a pause it is tried again. The
 * client repeats a call that gets no result. Thread-safe.
 */
final class MessageConnections implements MessageCalls {
  private static final Logger LOG = LoggerFactory.getLogger(MessageConnections.class);

  /** Messages to more fail. */
  static final int MAX_PEERS = 1_024;

  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A connection that is made, is there, or could not be made. */
  private static final class Line {
    private final CompletableFuture<OncRpcClient> reached;
    private boolean used = true;

    /** Messages leave in the order in which they came, also while the connection is made. */
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    private Line(CompletableFuture<OncRpcClient> reached) {
      this.reached = reached;
    }

    private boolean hasEnded() {
      return reached.isDone() && !reached.isCompletedExceptionally() && !reached.join().isOpen();
    }
  }

  private final Function<LockPeer, CompletionStage<OncRpcClient>> reaching;
  private final Environment environment;
  private final Executor home;

  /** Confined to the executor. */
  private final Map<LockPeer, Line> lines = new HashMap<>();

  /**
   * @param reaching connects to a lock manager; completes on the executor
   * @param home runs one task after another
   */
  MessageConnections(
      Function<LockPeer, CompletionStage<OncRpcClient>> reaching,
      Environment environment,
      Executor home) {
    this.reaching = reaching;
    this.environment = environment;
    this.home = home;
  }

  @Override
  public CompletionStage<Void> send(LockPeer peer, NlmProcedure procedure, NlmMessage message) {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    home.execute(
        () -> {
          var unused =
              inTurn(line(peer), procedure, message)
                  .whenComplete(
                      (done, failure) -> {
                        if (failure == null) {
                          sent.complete(null);
                        } else {
                          sent.completeExceptionally(failure);
                        }
                      });
        });
    return sent;
  }

  private static CompletableFuture<Void> inTurn(
      Optional<Line> found, NlmProcedure procedure, NlmMessage message) {
    if (found.isEmpty()) {
      return CompletableFuture.failedFuture(
          new RpcFailedException(MAX_PEERS + " lock managers are called already"));
    }
    Line line = found.get();
    line.last =
        line.last
            .handle((done, failure) -> null)
            .thenCompose(nothing -> line.reached)
            .thenCompose(client -> send(client, procedure, message));
    return line.last;
  }

  private static CompletionStage<Void> send(
      OncRpcClient client, NlmProcedure procedure, NlmMessage message) {
    return client.send(
        new OncRpcClient.Target(NlmProcedure.PROGRAM, NlmProcedure.VERSION, procedure.number()),
        LockManagerCalls.CREDENTIAL,
        message::write);
  }

  /** Empty if there are as many as may be. */
  private Optional<Line> line(LockPeer peer) {
    Line line = lines.get(peer);
    if (line != null && line.hasEnded()) {
      lines.remove(peer);
      line = null;
    }
    if (line == null) {
      if (lines.size() >= MAX_PEERS) {
        return Optional.empty();
      }
      line = new Line(reaching.apply(peer).toCompletableFuture());
      lines.put(peer, line);
      Line begun = line;
      var unused =
          line.reached.whenComplete(
              (client, failure) -> {
                if (failure != null) {
                  LOG.debug("{} is not reached: {}", peer, failure.toString());
                }
                look(peer, begun, failure == null ? IDLE_NANOS : PAUSE_NANOS);
              });
    }
    line.used = true;
    return Optional.of(line);
  }

  private void look(LockPeer peer, Line line, long nanos) {
    environment
        .scheduler()
        .schedule(
            nanos,
            home,
            () -> {
              if (lines.get(peer) != line) {
                return;
              }
              if (line.used && !line.reached.isCompletedExceptionally()) {
                line.used = false;
                look(peer, line, IDLE_NANOS);
                return;
              }
              lines.remove(peer);
              if (!line.reached.isCompletedExceptionally()) {
                line.reached.join().close();
              }
            });
  }

  /** Connections to clients that are called now or were lately. */
  CompletableFuture<List<LockPeer>> peers() {
    CompletableFuture<List<LockPeer>> answer = new CompletableFuture<>();
    home.execute(() -> answer.complete(List.copyOf(lines.keySet())));
    return answer;
  }
}
