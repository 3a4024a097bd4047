package org.weft.cli.nfs;

import org.weft.cli.output.CommandGroup;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft nfs export}: what is exported. */
@Command(
    name = "export",
    description = "Adds, changes, lists and removes what is exported by NFS.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ExportAddCommand.class,
      ExportSetCommand.class,
      ExportListCommand.class,
      ExportRemoveCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs export add /projects --clients 10.1.0.0/16",
      "  weft nfs export set /projects --ro",
      "  weft nfs export list",
      "  weft nfs export remove /projects"
    })
public final class ExportCommand extends CommandGroup {}
