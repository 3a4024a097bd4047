package org.weft.cli.layout;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesHost;
import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft layout}: where files lie. */
@Command(
    name = "layout",
    description = "Shows where a file lies, and sets how the files of a directory are cut.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LayoutShowCommand.class, LayoutSetCommand.class, CommandLine.HelpCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft layout show /data/big.bin",
      "  weft layout set /data --data 8 --parity 2 --unit 128k"
    })
public final class LayoutCommand implements Runnable, FilesHost {
  private final Console console;
  private final FilesConnector connector;

  @Spec private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help and ends.")
  private boolean help;

  /** On the process's own streams, with real clusters. */
  public LayoutCommand() {
    this(Console.system(), FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public LayoutCommand(Console console, FilesConnector connector) {
    this.console = console;
    this.connector = connector;
  }

  @Override
  public Console console() {
    return console;
  }

  @Override
  public FilesConnector connector() {
    return connector;
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "weft layout: which command? show or set");
  }
}
