package org.weft.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The common part of commands that look at the cluster, or change it, through SysMgr. With {@code
 * --json} their failures are JSON as well.
 */
public abstract class AdminCommand implements Callable<Integer> {
  private final String caller;

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Write JSON for programs; failures too.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack of a failure too.")
  private boolean verbose;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /**
   * @param caller for the logs of SysMgr
   */
  protected AdminCommand(String caller) {
    this.caller = caller;
  }

  /** Looks at the arguments before anything is connected. */
  protected void check() throws IOException {}

  /** Does the work; a failure of a future travels as it is. */
  protected abstract void run(AdminView admin) throws IOException;

  @Override
  public final Integer call() throws IOException {
    check();
    Failures failures = new Failures(name(), err(), verbose, json);
    cluster.noticesTo(failures::notice);
    try {
      connectAndRun();
    } catch (IOException | CommandFailure e) {
      failures.add(e);
    }
    return (failures.any() ? failures.exitCode() : ExitCode.OK).number();
  }

  /** Has the work done on a view of the cluster; prints all that it wrote. */
  private void connectAndRun() throws IOException {
    try (AdminView admin = AdminView.open(cluster, caller)) {
      run(admin);
    } catch (CompletionException e) {
      throw WeftException.of(e);
    } finally {
      out().flush();
    }
  }

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  protected final ClusterOptions cluster() {
    return cluster;
  }

  /** True if JSON is asked for. */
  protected final boolean json() {
    return json;
  }

  /** Says what is true now, to programs or to people. */
  protected final void say(JsonNode object, String sentence) {
    out().println(json ? Json.line(object) : sentence);
  }

  /** As it is typed behind {@code weft}. */
  protected final String name() {
    return spec.qualifiedName().replaceFirst("^weft ", "");
  }

  /** A path of the cluster as volumes and exports are named; one that cannot be is wrong usage. */
  protected final String path(String text) {
    try {
      return WeftPath.of(text).toString();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  /** The number of a node that the user names; a text that names none is wrong usage. */
  protected final int number(NodeName kind, String text) {
    return kind.parse(text).orElseThrow(() -> wrong(kind.fault(text)));
  }

  /** Wrong usage. */
  protected final ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), "weft: " + name() + ": " + message);
  }
}
