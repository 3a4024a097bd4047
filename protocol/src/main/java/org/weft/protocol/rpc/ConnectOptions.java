package org.weft.protocol.rpc;

import java.util.Optional;
import org.weft.protocol.id.ClusterId;

/**
 * How to open a connection.
 *
 * @param clusterId the cluster expected on the other side; empty takes any
 * @param caller who is calling, for the other side's logs: "client", "osd-3"
 * @param timeoutMillis for connecting and shaking hands
 * @param control a connection for pushes, never behind data (P 6.5)
 * @param pushes gets what the other side pushes, in order, on the connection's event loop; must not
 *     block
 */
public record ConnectOptions(
    Optional<ClusterId> clusterId,
    String caller,
    int timeoutMillis,
    boolean control,
    PushListener pushes) {
  /** Takes one pushed message. */
  @FunctionalInterface
  public interface PushListener {
    void pushed(int opcode, java.nio.ByteBuffer body);
  }

  public static ConnectOptions to(Optional<ClusterId> clusterId, String caller) {
    return new ConnectOptions(clusterId, caller, 5_000, false, (opcode, body) -> {});
  }
}
