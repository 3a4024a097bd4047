package org.weft.cli.bladeset;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
public final class BladeSetCommand implements Runnable {
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
        spec.commandLine(),
        "weft bladeset: which command? create, list, grow, merge, set or delete");
  }
}
