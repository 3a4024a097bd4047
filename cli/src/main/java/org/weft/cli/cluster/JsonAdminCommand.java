package org.weft.cli.cluster;

import picocli.CommandLine.Option;

/** A command by way of SysMgr that writes JSON if it is asked to. */
public abstract class JsonAdminCommand extends AdminCommand {
  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  /**
   * @param caller for the logs of SysMgr
   */
  protected JsonAdminCommand(String caller) {
    super(caller);
  }

  @Override
  protected final boolean json() {
    return json;
  }
}
