package org.weft.cli.quickstart;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.system.AtomicFile;
import org.weft.protocol.system.PrivateFolder;

/**
 * {@code run/quickstart.json}: what other commands need to find a quickstart and to stop and start
 * its OSDs.
 *
 * @param processes each daemon has a process of its own
 * @param nodes how many members SysMgr has; 0, of older releases: 1
 * @param managers how many there are; 0, of older releases: 1
 * @param gateways how many NFS gateways there are
 * @param gatewaysBeside they run in the processes of managers
 * @param capacityBytes of each OSD; 0 means a share of the free space
 */
public record QuickstartState(
    String data,
    int portBase,
    int osdCount,
    long capacityBytes,
    String durability,
    boolean processes,
    String launcher,
    int nodes,
    int managers,
    int gateways,
    boolean gatewaysBeside) {
  private static final String FILE = "quickstart.json";

  static QuickstartState of(QuickstartPlan plan, boolean processes, String launcher) {
    return new QuickstartState(
        plan.data().toString(),
        plan.portBase(),
        plan.osdCount(),
        plan.capacityBytes().orElse(0),
        plan.durability(),
        processes,
        launcher,
        plan.nodes(),
        plan.managers(),
        plan.gateways(),
        plan.gatewaysBeside());
  }

  /** The same with another launcher. */
  public QuickstartState withLauncher(String other) {
    return new QuickstartState(
        data,
        portBase,
        osdCount,
        capacityBytes,
        durability,
        processes,
        other,
        nodes,
        managers,
        gateways,
        gatewaysBeside);
  }

  QuickstartPlan plan() {
    return new QuickstartPlan(
        Path.of(data),
        portBase,
        osdCount,
        capacityBytes == 0
            ? java.util.OptionalLong.empty()
            : java.util.OptionalLong.of(capacityBytes),
        durability,
        Math.max(1, nodes),
        Math.max(1, managers),
        gateways,
        gatewaysBeside);
  }

  void write() throws IOException {
    Path directory = Path.of(data).resolve("run");
    Files.createDirectories(directory);
    byte[] text = new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    AtomicFile.write(directory.resolve(FILE), text, "rw-r--r--");
  }

  /**
   * What stands under a quickstart's data directory. It names programs to start and processes to
   * end, so it must be this user's own.
   *
   * @throws IOException if another user owns it or may write to it, or it cannot be read
   */
  public static Optional<QuickstartState> read(Path data) throws IOException {
    Path run = data.resolve("run");
    for (Path place : List.of(data, run, run.resolve(FILE))) {
      PrivateFolder.requireTrusted(place);
    }
    try {
      return Optional.of(
          new ObjectMapper()
              .readValue(
                  Files.readAllBytes(data.resolve("run").resolve(FILE)), QuickstartState.class));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
