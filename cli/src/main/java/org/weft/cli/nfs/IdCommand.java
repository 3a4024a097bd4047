package org.weft.cli.nfs;

import org.weft.cli.output.CommandGroup;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft nfs id}: numbers of users and groups. */
@Command(
    name = "id",
    description =
        "Says which users and groups the numbers stand for that NFS has in the place of names; alike at"
            + " all gateways. A number that stands in no line is a name itself: user 1234 is \"1234\".",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      IdAddCommand.class,
      IdGroupsCommand.class,
      IdListCommand.class,
      IdRemoveCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs id add --uid 1000 alice",
      "  weft nfs id add --gid 100 users",
      "  weft nfs id groups alice users ops",
      "  weft nfs id list",
      "  weft nfs id remove --uid 1000"
    })
public final class IdCommand extends CommandGroup {}
