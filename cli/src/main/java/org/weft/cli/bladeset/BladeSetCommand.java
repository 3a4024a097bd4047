package org.weft.cli.bladeset;

import org.weft.cli.output.CommandGroup;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft bladeset}: the BladeSets of a cluster. */
@Command(
    name = "bladeset",
    description =
        "Makes, lists, grows, merges and deletes BladeSets: pools of OSDs, in each of which volumes live.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BladeSetCreateCommand.class,
      BladeSetListCommand.class,
      BladeSetGrowCommand.class,
      BladeSetMergeCommand.class,
      BladeSetSetCommand.class,
      BladeSetDeleteCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bladeset create fast",
      "  weft bladeset grow fast osd-7 osd-8 osd-9",
      "  weft volume create /scratch --bladeset fast",
      "  weft bladeset list",
      "  weft bladeset merge fast default"
    })
public final class BladeSetCommand extends CommandGroup {}
