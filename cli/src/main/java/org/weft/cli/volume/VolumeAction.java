package org.weft.cli.volume;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Console;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.client.WeftPath;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.client.cluster.VolumeAdmin;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What the commands on volumes have in common. They speak with SysMgr alone. */
abstract class VolumeAction implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @ParentCommand private VolumeCommand parent;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Write JSON for programs; failures too.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack of a failure too.")
  private boolean verbose;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** What changes volumes. */
  record Admins(VolumeAdmin lives, PlacementAdmin placement) {}

  /** Does the work; a failure of a future travels as it is. */
  abstract void run(ClusterView view, Admins admins);

  /** Looks at the arguments before anything is connected. */
  void check() {}

  @Override
  public final Integer call() {
    check();
    Failures failures = new Failures("volume " + spec.name(), console().err(), verbose, json);
    cluster.noticesTo(failures::notice);
    try (AdminView admin = AdminView.open(cluster, "volume")) {
      run(admin.view(), new Admins(admin.volumes(), admin.placement()));
    } catch (CompletionException e) {
      failures.add(WeftException.of(e));
    } catch (IOException e) {
      failures.add(e);
    } finally {
      console().text().flush();
    }
    return (failures.any() ? failures.exitCode() : ExitCode.OK).number();
  }

  final Console console() {
    return parent.console();
  }

  final ClusterOptions cluster() {
    return cluster;
  }

  final boolean json() {
    return json;
  }

  /** A path of the cluster as volumes are named; one that cannot be is wrong usage. */
  final String path(String text) {
    try {
      return WeftPath.of(text).toString();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  final ParameterException wrong(String message) {
    return new ParameterException(
        spec.commandLine(), "weft: volume " + spec.name() + ": " + message);
  }
}
