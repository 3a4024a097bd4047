package org.weft.cli.repair;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft repair}: whether lost components are rebuilt and OSDs drained. */
@Command(
    name = "repair",
    description = "Pauses rebuilds and drains of the whole cluster, and lets them go on.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RepairPauseCommand.class,
      RepairResumeCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft repair pause --for 4h --reason 'rack 3 gets another switch'",
      "  weft repair resume"
    })
public final class RepairCommand implements Runnable {
  @Spec private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help and ends.")
  private boolean help;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "weft repair: which command? pause or resume");
  }
}
