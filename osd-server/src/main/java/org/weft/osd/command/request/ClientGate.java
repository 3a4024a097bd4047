package org.weft.osd.command.request;

import org.weft.protocol.error.WeftException;

/**
 * Says whether clients may be served at this moment. Thread-safe, and cheap: asked for each
 * command.
 */
@FunctionalInterface
public interface ClientGate {
  /** Lets all clients in. */
  ClientGate OPEN = () -> {};

  /**
   * Returns if clients may be served.
   *
   * @throws WeftException UNAVAILABLE
   */
  void requireOpen() throws WeftException;
}
