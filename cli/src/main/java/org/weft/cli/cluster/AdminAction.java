package org.weft.cli.cluster;

import java.io.IOException;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.client.WeftPath;
import picocli.CommandLine.Option;

/** A command by way of SysMgr whose failures are JSON as well if that is asked for. */
public abstract class AdminAction extends AdminCommand {
  @Option(names = "--json", description = "Write JSON for programs; failures too.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack of a failure too.")
  private boolean verbose;

  /**
   * @param caller for the logs of SysMgr
   */
  protected AdminAction(String caller) {
    super(caller);
  }

  @Override
  public final Integer call() throws IOException {
    check();
    Failures failures = new Failures(name(), err(), verbose, json);
    cluster().noticesTo(failures::notice);
    try {
      connectAndRun();
    } catch (IOException e) {
      failures.add(e);
    }
    return (failures.any() ? failures.exitCode() : ExitCode.OK).number();
  }

  @Override
  protected final boolean json() {
    return json;
  }

  /** A path of the cluster as volumes and exports are named; one that cannot be is wrong usage. */
  protected final String path(String text) {
    try {
      return WeftPath.of(text).toString();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }
}
