package org.weft.sysmgr;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Ports for members that must know each other before they listen, and that listen on them again
 * after a restart. The kernel gives none of them to a connection meanwhile: they lie below those
 * that it chooses from.
 */
public final class MemberPorts {
  private static final int FIRST = 12_000;

  /** JVMs that run tests at the same time find ports in ranges of their own. */
  private static final int RANGE = 1_300;

  private MemberPorts() {}

  /** Different ports that were free a moment ago. */
  public static List<Integer> of(int count) throws IOException {
    Random random = new Random();
    int first = FIRST + (Integer.getInteger("weft.test.fork", 1) - 1) * RANGE;
    List<ServerSocket> held = new ArrayList<>();
    while (held.size() < count) {
      int port = first + random.nextInt(RANGE);
      try {
        held.add(new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")));
      } catch (BindException e) {
        // Another one is drawn.
        continue;
      }
    }
    List<Integer> ports = new ArrayList<>();
    for (ServerSocket socket : held) {
      ports.add(socket.getLocalPort());
      socket.close();
    }
    return ports;
  }
}
