package org.weft.cli.repair;

import org.weft.cli.output.CommandGroup;
import picocli.CommandLine;
import picocli.CommandLine.Command;

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
public final class RepairCommand extends CommandGroup {}
