package org.weft.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports on loopback that tests choose themselves. */
public final class LoopbackPorts {
  private LoopbackPorts() {}

  /**
   * Whether a server could listen at a port a moment ago.
   *
   * @throws UncheckedIOException if that cannot be found out
   */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
