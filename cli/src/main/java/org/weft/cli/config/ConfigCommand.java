package org.weft.cli.config;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft config}: the settings that exist. */
@Command(
    name = "config",
    description = "Explains the settings of weft.conf.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {"  weft config reference      every key, its default and its meaning"})
public final class ConfigCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "weft config: expected a subcommand: reference");
  }

  @Command(
      name = "reference",
      description = "Prints every key with its default and meaning, as Markdown.",
      mixinStandardHelpOptions = true)
  int reference() {
    spec.commandLine().getOut().print(ConfigReference.markdown());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
