package org.weft.soak.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What waits in sockets of this machine until their process reads it, as the kernel counts it. */
public final class SocketQueues {
  private static final int LOCAL = 1;
  private static final int STATE = 3;
  private static final int QUEUES = 4;
  private static final String ESTABLISHED = "01";

  private SocketQueues() {}

  /** Bytes that came to this port and were not read yet. */
  public static long unreadBytes(int port) throws IOException {
    long bytes = 0;
    for (String table : List.of("tcp", "tcp6")) {
      List<String> lines = Files.readAllLines(Path.of("/proc/net", table));
      for (String line : lines.subList(1, lines.size())) {
        bytes += unreadBytes(line.trim().split(" +"), port);
      }
    }
    return bytes;
  }

  private static long unreadBytes(String[] columns, int port) {
    String local = columns[LOCAL];
    boolean mine = Integer.parseInt(local.substring(local.lastIndexOf(':') + 1), 16) == port;
    if (!mine || !columns[STATE].equals(ESTABLISHED)) {
      return 0;
    }
    String queues = columns[QUEUES];
    return Long.parseLong(queues.substring(queues.indexOf(':') + 1), 16);
  }
}
