package org.weft.protocol.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;

/**
 * How a transport works; the defaults fit a daemon and a client alike.
 *
 * @param eventLoopThreads shared by all connections and listeners
 * @param nativeSockets epoll where the platform has it, else NIO
 * @param localSockets where epoll is, listeners answer on a socket of the machine, too, and clients
 *     of the same machine go over to it
 * @param windowBytes payload that one client connection has under way; further calls wait in order
 * @param maxCalls calls that may wait or be under way on one client connection; one more is refused
 *     OVERLOADED
 * @param requestMemoryBytes requests and replies that all listeners together hold: a connection
 *     that holds more than is left of it is not read until replies have left. Large requests on
 *     their way in hold as much again
 * @param handshakeMillis time that a server gives a new connection for its HELLO. It is also the
 *     most that a large request gets to arrive while others wait for its room
 * @param keepAliveMillis a side that sent nothing for so long sends a PING. A side that neither
 *     received nor sent anything for three times as long takes the other for dead
 * @param maxConnections of one listener; one more is refused OVERLOADED
 * @param maxConnectionsOfHost of one listener, that one host, or one user of this machine, may have
 * @param stopGraceMillis what a stopping listener gives replies under way
 */
public record TransportOptions(
    int eventLoopThreads,
    boolean nativeSockets,
    boolean localSockets,
    long windowBytes,
    int maxCalls,
    long requestMemoryBytes,
    int handshakeMillis,
    int keepAliveMillis,
    int maxConnections,
    int maxConnectionsOfHost,
    int stopGraceMillis) {
  /** A few of the largest frames. */
  private static final long MIN_REQUEST_MEMORY_BYTES = 32L << 20;

  private static final int MAX_CONNECTIONS = 4_096;

  public TransportOptions {
    boolean sound =
        eventLoopThreads > 0
            && windowBytes > 0
            && maxCalls > 0
            && requestMemoryBytes > 0
            && handshakeMillis > 0
            && keepAliveMillis > 0
            && maxConnections > 0
            && maxConnectionsOfHost > 0
            && stopGraceMillis >= 0;
    if (!sound) {
      throw new IllegalArgumentException("transport options must be positive");
    }
  }

  /** Options by which one host may have half of all connections. */
  public TransportOptions(
      int eventLoopThreads,
      boolean nativeSockets,
      boolean localSockets,
      long windowBytes,
      int maxCalls,
      long requestMemoryBytes,
      int handshakeMillis,
      int keepAliveMillis,
      int maxConnections,
      int stopGraceMillis) {
    this(
        eventLoopThreads,
        nativeSockets,
        localSockets,
        windowBytes,
        maxCalls,
        requestMemoryBytes,
        handshakeMillis,
        keepAliveMillis,
        maxConnections,
        ConnectionAdmission.usualOfHost(maxConnections),
        stopGraceMillis);
  }

  /** The same with other bounds on connections. */
  public TransportOptions withConnections(int most, int mostOfHost) {
    return new TransportOptions(
        eventLoopThreads,
        nativeSockets,
        localSockets,
        windowBytes,
        maxCalls,
        requestMemoryBytes,
        handshakeMillis,
        keepAliveMillis,
        most,
        mostOfHost,
        stopGraceMillis);
  }

  /** The same with or without sockets of the machine beside TCP. */
  public TransportOptions withLocalSockets(boolean wanted) {
    return new TransportOptions(
        eventLoopThreads,
        nativeSockets,
        wanted,
        windowBytes,
        maxCalls,
        requestMemoryBytes,
        handshakeMillis,
        keepAliveMillis,
        maxConnections,
        maxConnectionsOfHost,
        stopGraceMillis);
  }

  /** What one host may have of so many connections where nothing else is configured. */
  public static int usualConnectionsOfHost(int most) {
    return ConnectionAdmission.usualOfHost(most);
  }

  /** As many connections as that, or as half of the file descriptors that the process may have. */
  private static int mostConnections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? (int) Math.max(1, Math.min(MAX_CONNECTIONS, system.getMaxFileDescriptorCount() / 2))
        : MAX_CONNECTIONS;
  }

  /** What this JVM may use outside the heap: {@code -XX:MaxDirectMemorySize}, else as its heap. */
  public static long memoryOutsideHeapBytes() {
    return PlatformDependent.maxDirectMemory();
  }

  /** Two event loops; a quarter of the JVM's limit for memory outside the heap is for requests. */
  public static TransportOptions defaults() {
    return with(true, mostConnections());
  }

  /**
   * Of a process that never listens: it does not ask how many descriptors it may have, for which
   * the JDK looks at the machine.
   *
   * @param nativeSockets false: no library is looked for
   */
  public static TransportOptions ofClient(boolean nativeSockets) {
    return with(nativeSockets, MAX_CONNECTIONS);
  }

  private static TransportOptions with(boolean nativeSockets, int maxConnections) {
    long requestMemoryBytes = Math.max(MIN_REQUEST_MEMORY_BYTES, memoryOutsideHeapBytes() / 4);
    return new TransportOptions(
        2,
        nativeSockets,
        true,
        32 << 20,
        1 << 16,
        requestMemoryBytes,
        5_000,
        10_000,
        maxConnections,
        2_000);
  }
}
