package org.weft.cli.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.weft.protocol.system.HostName;

/**
 * The user that runs this process, as the operating system says.
 *
 * @param umask the process's own
 * @param clientName "host/pid/weft", shown to others that wait for this client
 * @param host what this machine calls itself
 */
record LocalUser(
    String name, List<String> groups, int umask, String clientName, Optional<String> host) {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String UMASK_LINE = "Umask:";
  private static final int USUAL_UMASK = 022;
  private static final int ID_TIMEOUT_SECONDS = 5;

  /**
   * @param wanted another user's name, or null for the user that runs the process
   */
  static LocalUser current(String wanted) {
    String name = wanted != null ? wanted : System.getProperty("user.name");
    Optional<String> host = HostName.own();
    String client = host.orElse("localhost") + "/" + ProcessHandle.current().pid() + "/weft";
    return new LocalUser(name, groupsOf(name), processUmask(), client, host);
  }

  /** None for a user that this machine does not know. */
  private static List<String> groupsOf(String user) {
    try {
      Process id =
          new ProcessBuilder("id", "-Gn", "--", user)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String names = new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = id.waitFor(ID_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return ended && id.exitValue() == 0 && !names.isBlank()
          ? List.of(names.trim().split("\\s+"))
          : List.of();
    } catch (IOException e) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  /** As the operating system says; 022 where it does not. */
  static int processUmask() {
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith(UMASK_LINE))
          .findFirst()
          .map(line -> Integer.parseInt(line.substring(UMASK_LINE.length()).trim(), 8))
          .orElse(USUAL_UMASK);
    } catch (IOException | NumberFormatException e) {
      return USUAL_UMASK;
    }
  }
}
