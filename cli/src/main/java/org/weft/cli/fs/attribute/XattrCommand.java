package org.weft.cli.fs.attribute;

import org.weft.cli.output.CommandGroup;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft fs xattr}: extended attributes. */
@Command(
    name = "xattr",
    description = {
      "Shows and sets extended attributes.",
      "They are values under names, which begin with \"user.\" for every user's own use; \"trusted.\" is"
          + " the superuser's."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      XattrListCommand.class,
      XattrGetCommand.class,
      XattrSetCommand.class,
      XattrRemoveCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs xattr set /data/a.csv user.origin 'station 7'",
      "  weft fs xattr list /data/a.csv"
    })
public final class XattrCommand extends CommandGroup {}
