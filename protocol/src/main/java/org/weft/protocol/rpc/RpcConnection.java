package org.weft.protocol.rpc;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.WeftException;

/** An open connection. Thread-safe. */
public interface RpcConnection extends AutoCloseable {
  /** What the other side said of itself in the handshake. */
  PeerInfo peer();

  /**
   * Sends a request. The future completes on the connection's event loop, so what hangs on it must
   * not block; it fails with a {@link WeftException}. Cancelling the future sends a cancellation.
   * Requests past the connection's window of payload bytes wait here, in order.
   */
  CompletableFuture<RpcReply> call(RpcRequest request);

  boolean isOpen();

  /** Calls that were made here and are neither answered nor given up. */
  int callsUnderWay();

  /**
   * When anything last came from the other side, by the ticker of the process. A part of a reply, a
   * push and a sign of life all count. At first, when the connection was opened.
   */
  long heardNanos();

  /** Completes when the connection has ended, normally, whichever side ended it. */
  CompletableFuture<Void> closed();

  /** Ends the connection; calls under way fail with CONNECTION_LOST. */
  @Override
  void close();
}
