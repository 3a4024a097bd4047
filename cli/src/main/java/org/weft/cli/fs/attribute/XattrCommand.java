package org.weft.cli.fs.attribute;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
public final class XattrCommand implements Runnable {
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
        spec.commandLine(), "weft fs xattr: which command? list, get, set or remove");
  }
}
