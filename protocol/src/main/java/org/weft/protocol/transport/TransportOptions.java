package org.weft.protocol.transport;

/**
 * How a transport works; the defaults fit a daemon and a client alike.
 *
 * @param eventLoopThreads shared by all connections and listeners
 * @param nativeSockets epoll where the platform has it, else NIO
 * @param windowBytes payload that one client connection has under way; further calls wait in order
 * @param maxWaitingCalls calls that may wait on one client connection; one more is refused OVERLOADED
 * @param handshakeMillis time a server gives a new connection to say who it is
 * @param keepAliveMillis a side that sent nothing for so long sends a PING; one that neither received
 *     nor got rid of anything for three times as long takes the other for dead
 * @param maxConnections of one listener; one more is refused OVERLOADED
 * @param stopGraceMillis what a stopping listener gives replies under way
 */
public record TransportOptions(
    int eventLoopThreads,
    boolean nativeSockets,
    long windowBytes,
    int maxWaitingCalls,
    int handshakeMillis,
    int keepAliveMillis,
    int maxConnections,
    int stopGraceMillis) {
  public TransportOptions {
    boolean sound =
        eventLoopThreads > 0
            && windowBytes > 0
            && maxWaitingCalls > 0
            && handshakeMillis > 0
            && keepAliveMillis > 0
            && maxConnections > 0
            && stopGraceMillis >= 0;
    if (!sound) {
      throw new IllegalArgumentException("transport options must be positive");
    }
  }

  public static TransportOptions defaults() {
    return new TransportOptions(2, true, 32 << 20, 1 << 16, 5_000, 10_000, 4_096, 2_000);
  }
}
