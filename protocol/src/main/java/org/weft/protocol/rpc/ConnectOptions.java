package org.weft.protocol.rpc;

import java.util.Optional;
import java.util.concurrent.Executor;
import org.weft.protocol.id.ClusterId;

/**
 * How to open a connection.
 *
 * @param clusterId the cluster expected on the other side; empty takes any
 * @param caller name of the calling process, for the other side's logs: "client", "osd-3"
 * @param timeoutMillis for connecting and shaking hands
 * @param control a connection for pushes, never behind data (P 6.5)
 * @param pushes gets what the other side pushes, in order, on the connection's event loop; must not
 *     block
 * @param home whose thread is to serve the connection, if it is one of the transport's own
 * @param backgroundPercent the percent of its time that an OSD gives to requests of this connection
 *     while clients use it, 1 to 100. Zero means that these requests are a client's (P 6.8)
 */
public record ConnectOptions(
    Optional<ClusterId> clusterId,
    String caller,
    int timeoutMillis,
    boolean control,
    PushListener pushes,
    Optional<Executor> home,
    int backgroundPercent) {
  public static final int MAX_BACKGROUND_PERCENT = 100;

  public ConnectOptions {
    if (backgroundPercent < 0 || backgroundPercent > MAX_BACKGROUND_PERCENT) {
      throw new IllegalArgumentException(
          "requests in the background have 0 to 100 percent, got " + backgroundPercent);
    }
  }

  /** A connection on whatever thread has its turn. */
  public ConnectOptions(
      Optional<ClusterId> clusterId,
      String caller,
      int timeoutMillis,
      boolean control,
      PushListener pushes) {
    this(clusterId, caller, timeoutMillis, control, pushes, Optional.empty(), 0);
  }

  /** Takes one pushed message. */
  @FunctionalInterface
  public interface PushListener {
    void pushed(int opcode, java.nio.ByteBuffer body);
  }

  public ConnectOptions withHome(Executor executor) {
    return new ConnectOptions(
        clusterId,
        caller,
        timeoutMillis,
        control,
        pushes,
        Optional.of(executor),
        backgroundPercent);
  }

  /** The same for requests that make way for those of clients; 0: they do not. */
  public ConnectOptions withBackground(int percent) {
    return new ConnectOptions(clusterId, caller, timeoutMillis, control, pushes, home, percent);
  }

  public static ConnectOptions to(Optional<ClusterId> clusterId, String caller) {
    return new ConnectOptions(clusterId, caller, 5_000, false, (opcode, body) -> {});
  }
}
