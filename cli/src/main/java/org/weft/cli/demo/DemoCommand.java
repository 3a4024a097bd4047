package org.weft.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.weft.cli.cluster.ClusterConnection;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.quickstart.OsdSwitch;
import org.weft.cli.quickstart.QuickstartState;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.Endpoint;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft demo}: only with a quickstart, because it stops one of its OSDs. */
@Command(
    name = "demo",
    description =
        "The tour: writes a real file, shows its storage map, stops one OSD, reads the file back without"
            + " it, and starts the OSD again. Works on a quickstart on this machine.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft demo                            with the file that holds this Java's classes",
      "  weft demo --file holiday.mp4",
      "  weft demo --data /tmp/w --cluster 127.0.0.1:8300"
    })
public final class DemoCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private ClusterOptions cluster;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "weft-data",
      description = "Data directory of the quickstart (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "The file to write (default: lib/modules of this Java, about 100 MiB).")
  private Path file;

  @Override
  public Integer call() throws Exception {
    QuickstartState state = quickstart();
    Path source = file != null ? file : Path.of(System.getProperty("java.home"), "lib", "modules");
    if (!Files.isRegularFile(source)) {
      throw new CommandFailure("there is no file " + source + "; name one with --file");
    }
    try (ClusterConnection connection = cluster.connect()) {
      DemoTour tour =
          new DemoTour(
              connection.client(),
              OsdSwitch.of(state),
              state.portBase(),
              spec.commandLine().getOut());
      tour.run(source, WeftPath.of("/tmp").child("weft-demo-" + ProcessHandle.current().pid()));
    }
    return 0;
  }

  private static Optional<QuickstartState> read(Path data) {
    try {
      return QuickstartState.read(data);
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  private QuickstartState quickstart() throws Exception {
    QuickstartState state =
        read(data.toAbsolutePath().normalize())
            .orElseThrow(
                () ->
                    new CommandFailure(
                        "the demo stops an OSD, so it works on a quickstart only, and there is none under "
                            + data.toAbsolutePath().normalize()
                            + "; start one with `weft quickstart`, or name its --data directory"));
    Endpoint asked = cluster.endpoints().get(0);
    if (asked.port() != state.portBase()) {
      throw new CommandFailure(
          "the quickstart under "
              + data
              + " is at 127.0.0.1:"
              + state.portBase()
              + ", but you asked for "
              + asked
              + "; say --cluster 127.0.0.1:"
              + state.portBase());
    }
    return Optional.ofNullable(System.getenv("WEFT_LAUNCHER"))
        .map(state::withLauncher)
        .orElse(state);
  }
}
