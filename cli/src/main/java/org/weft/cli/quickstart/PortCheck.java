package org.weft.cli.quickstart;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.rpc.Endpoint;

/**
 * Finds taken ports before anything is started, and, where it can be seen, the processes that hold
 * them.
 */
final class PortCheck {
  private static final Path PROC = Path.of("/proc");
  private static final int LOCAL_ADDRESS = 1;
  private static final int STATE = 3;
  private static final int INODE = 9;
  private static final String LISTENING = "0A";

  private PortCheck() {}

  /** Refuses the first port that is listened on. */
  static void requireFree(List<Endpoint> endpoints) {
    for (Endpoint endpoint : endpoints) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(endpoint.host(), endpoint.port()));
      } catch (IOException e) {
        throw new CommandFailure(
            "port "
                + endpoint.port()
                + " on "
                + endpoint.host()
                + " is taken"
                + holder(endpoint.port()).map(holder -> " by " + holder).orElse("")
                + "; stop that, or choose other ports with --port-base",
            e);
      }
    }
  }

  /** "NAME (pid N)" of the process that listens on a TCP port, where this user may see it. */
  static Optional<String> holder(int port) {
    try {
      for (String table : List.of("tcp", "tcp6")) {
        Optional<String> inode = listeningInode(PROC.resolve("net").resolve(table), port);
        if (inode.isPresent()) {
          return processWith("socket:[" + inode.get() + "]");
        }
      }
    } catch (IOException e) {
      // Only a hint: not every system lets its users look.
      return Optional.empty();
    }
    return Optional.empty();
  }

  private static Optional<String> listeningInode(Path table, int port) throws IOException {
    if (!Files.isReadable(table)) {
      return Optional.empty();
    }
    String suffix = String.format(Locale.ROOT, ":%04X", port);
    return Files.readAllLines(table).stream()
        .map(line -> line.trim().split("\\s+"))
        .filter(fields -> fields.length > INODE)
        .filter(fields -> fields[LOCAL_ADDRESS].endsWith(suffix) && fields[STATE].equals(LISTENING))
        .map(fields -> fields[INODE])
        .findFirst();
  }

  private static Optional<String> processWith(String socket) throws IOException {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (holds(process, socket)) {
          String name = Files.readString(process.resolve("comm")).trim();
          return Optional.of(name + " (pid " + process.getFileName() + ")");
        }
      }
    }
    return Optional.empty();
  }

  private static boolean holds(Path process, String socket) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path file : files) {
        if (Files.isSymbolicLink(file) && Files.readSymbolicLink(file).toString().equals(socket)) {
          return true;
        }
      }
    } catch (IOException e) {
      // The process ended meanwhile, or belongs to another user.
      return false;
    }
    return false;
  }
}
