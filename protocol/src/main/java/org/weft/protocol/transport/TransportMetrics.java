package org.weft.protocol.transport;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;

/**
 * Gets the counts of a transport's work. Called on event loops: must be quick and must not throw.
 */
public interface TransportMetrics {
  /** Drops all it is told. */
  TransportMetrics NONE = new TransportMetrics() {};

  default void connectionOpened(boolean server) {}

  default void connectionClosed(boolean server) {}

  /** Bytes of whole frames that arrived. */
  default void received(long bytes) {}

  /** Bytes of whole frames that left. */
  default void sent(long bytes) {}

  /** A call of this side ended after so long, well if there is no failure. */
  default void called(int opcodeNumber, Optional<ErrorCode> failure, long nanos) {}

  /** A request of the other side was answered after so long, well if there is no failure. */
  default void served(int opcodeNumber, Optional<ErrorCode> failure, long nanos) {}
}
