package org.weft.cli.nfs;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.client.WeftPath;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands on exports have in common. They speak with SysMgr alone. */
abstract class NfsAction implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Write JSON for programs; failures too.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack of a failure too.")
  private boolean verbose;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** Does the work; a failure of a future travels as it is. */
  abstract void run(NfsAdmin admin);

  /** Looks at the arguments before anything is connected. */
  void check() {}

  @Override
  public final Integer call() {
    check();
    Failures failures = new Failures(name(), spec.commandLine().getErr(), verbose, json);
    cluster.noticesTo(failures::notice);
    try (AdminView admin = AdminView.open(cluster, "nfs")) {
      run(admin.nfs());
    } catch (CompletionException e) {
      failures.add(WeftException.of(e));
    } catch (IOException e) {
      failures.add(e);
    } finally {
      out().flush();
    }
    return (failures.any() ? failures.exitCode() : ExitCode.OK).number();
  }

  private String name() {
    String group = spec.parent().name();
    return (group.equals("nfs") ? "nfs " : "nfs " + group + " ") + spec.name();
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final ClusterOptions cluster() {
    return cluster;
  }

  final boolean json() {
    return json;
  }

  /** A path of the cluster as exports are named; one that cannot be is wrong usage. */
  final String path(String text) {
    try {
      return WeftPath.of(text).toString();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  /** What is to be removed is not there. */
  static CompletionException missing(String message) {
    return new CompletionException(new WeftException(ErrorCode.NOT_FOUND, message));
  }

  final ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), "weft: " + name() + ": " + message);
  }
}
