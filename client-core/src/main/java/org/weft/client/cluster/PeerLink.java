package org.weft.client.cluster;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Transport;

/**
 * One connection to a peer that may be found at several addresses. It is opened when it is needed;
 * when it fails the next call tries the next address. A call is attempted once: the caller decides
 * what may be repeated.
 *
 * <p>Confined to its home executor: every method must be called there, and every future completes
 * there.
 */
public final class PeerLink implements AutoCloseable {
  private final Transport transport;
  private final Supplier<List<Endpoint>> addresses;
  private final Supplier<ConnectOptions> options;
  private final Executor home;

  private int turn;
  private Attachment attachment;

  /** Silent for as long as its calls waited; kept until another one has had an answer. */
  private Attachment silent;

  private boolean closed;
  private Runnable whenLost = () -> {};

  /** A connection, open or being opened. */
  private static final class Attachment {
    private final Endpoint remote;
    private final CompletableFuture<RpcConnection> connection = new CompletableFuture<>();

    private Attachment(Endpoint remote) {
      this.remote = remote;
    }
  }

  /**
   * @param addresses asked before each call; may change as the cluster's table does
   * @param options asked at each connect
   */
  public PeerLink(
      Transport transport,
      Supplier<List<Endpoint>> addresses,
      Supplier<ConnectOptions> options,
      Executor home) {
    this.transport = transport;
    this.addresses = addresses;
    this.options = options;
    this.home = home;
  }

  /**
   * From now on the task runs, on home, when a connection has ended that this link did not give up.
   */
  public void whenLost(Runnable told) {
    whenLost = told;
  }

  /**
   * Calls the peer once. Fails with the connection's or the peer's {@link WeftException};
   * UNAVAILABLE if no address is known.
   */
  public CompletableFuture<RpcReply> call(RpcRequest request) {
    return call(request, code -> false);
  }

  /**
   * As the other one.
   *
   * @param useless failures after which the peer at this address is of no use. The connection that
   *     the call went by is given up, and no other one that was opened meanwhile. The next call
   *     goes to the next address
   */
  CompletableFuture<RpcReply> call(RpcRequest request, Predicate<ErrorCode> useless) {
    Attachment current;
    try {
      current = attach();
    } catch (WeftException e) {
      request.payload().release();
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<RpcReply> answer = new CompletableFuture<>();
    var unused =
        current.connection.whenComplete(
            (connection, failure) -> {
              if (failure != null) {
                request.payload().release();
                answer.completeExceptionally(failure);
              } else {
                send(current, connection, request, useless, answer);
              }
            });
    return answer;
  }

  private void send(
      Attachment current,
      RpcConnection connection,
      RpcRequest request,
      Predicate<ErrorCode> useless,
      CompletableFuture<RpcReply> answer) {
    var unused =
        connection
            .call(request)
            .whenCompleteAsync(
                (reply, failure) -> {
                  if (failure == null) {
                    answered(current);
                    answer.complete(reply);
                    return;
                  }
                  WeftException cause = WeftException.of(failure);
                  if (cause.code() == ErrorCode.CONNECTION_LOST || useless.test(cause.code())) {
                    drop(current);
                  }
                  answer.completeExceptionally(inItsOwnWords(connection, cause));
                },
                home);
  }

  /**
   * The peer's refusal without the peer's name and address: the user asked for a file, not for a
   * peer.
   */
  private static WeftException inItsOwnWords(RpcConnection connection, WeftException failure) {
    String label = connection.peer().name() + " at " + connection.peer().address() + ": ";
    String message = String.valueOf(failure.getMessage());
    ErrorCode code = failure.code();
    boolean refused = !code.isUnanswered() && !code.isInDoubt() && code != ErrorCode.INTERNAL;
    return refused && message.startsWith(label)
        ? failure.saying(message.substring(label.length()))
        : failure;
  }

  /** The address in use or to be tried next; for messages. */
  public String describe() {
    if (attachment != null) {
      return attachment.remote.toString();
    }
    List<Endpoint> known = addresses.get();
    return known.isEmpty() ? "no known address" : known.get(turn % known.size()).toString();
  }

  /** The peer at this address is of no use now: the next call goes to the next address. */
  public void rotate() {
    if (attachment != null) {
      drop(attachment);
    }
    dropSilent();
  }

  /**
   * The connection may lead nowhere: the next call goes to the next address. The connection ends
   * once a later one has had an answer. A peer that sees it end sooner may take this process for
   * dead: it cannot tell that this end was meant (P 6.5).
   */
  public void replace() {
    if (attachment == null) {
      return;
    }
    dropSilent();
    silent = attachment;
    attachment = null;
    nextAddress();
  }

  private void answered(Attachment by) {
    if (by == attachment) {
      dropSilent();
    }
  }

  private void dropSilent() {
    Attachment before = silent;
    silent = null;
    if (before != null) {
      drop(before);
    }
  }

  /**
   * The addresses have changed: a connection to one that is the peer's no more is given up, and its
   * calls under way fail with CONNECTION_LOST.
   */
  public void addressesChanged() {
    List<Endpoint> known = addresses.get();
    if (attachment != null && !known.isEmpty() && !known.contains(attachment.remote)) {
      drop(attachment);
    }
  }

  private Attachment attach() throws WeftException {
    if (closed) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "the client is closed");
    }
    List<Endpoint> known = addresses.get();
    if (attachment != null && !known.contains(attachment.remote)) {
      drop(attachment);
    }
    if (attachment == null) {
      if (known.isEmpty()) {
        throw new WeftException(ErrorCode.UNAVAILABLE, "no address of the peer is known yet");
      }
      attachment = connect(known.get(turn % known.size()));
    }
    return attachment;
  }

  private Attachment connect(Endpoint remote) {
    Attachment made = new Attachment(remote);
    var unused =
        transport
            .connect(remote, options.get())
            .whenCompleteAsync(
                (connection, failure) -> {
                  if (failure != null) {
                    drop(made);
                    made.connection.completeExceptionally(WeftException.of(failure));
                  } else {
                    watch(made, connection);
                    made.connection.complete(connection);
                  }
                },
                home);
    return made;
  }

  /** A connection that ends while idle is replaced before the next call runs into it. */
  private void watch(Attachment made, RpcConnection connection) {
    var unused =
        connection
            .closed()
            .whenCompleteAsync(
                (end, failure) -> {
                  boolean inUse = attachment == made;
                  drop(made);
                  if (inUse && !closed) {
                    whenLost.run();
                  }
                },
                home);
  }

  private void drop(Attachment failed) {
    if (attachment == failed) {
      attachment = null;
      nextAddress();
    }
    var unused = failed.connection.thenAccept(RpcConnection::close);
  }

  private void nextAddress() {
    turn = (turn + 1) & Integer.MAX_VALUE;
  }

  /** Ends the connection; calls under way fail. */
  @Override
  public void close() {
    closed = true;
    rotate();
  }
}
