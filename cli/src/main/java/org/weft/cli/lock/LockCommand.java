package org.weft.cli.lock;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesHost;
import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft lock}: byte-range locks. */
@Command(
    name = "lock",
    description = "Shows who has locked which bytes of a file.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LockListCommand.class, CommandLine.HelpCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {"  weft lock list /data/journal"})
public final class LockCommand implements Runnable, FilesHost {
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
  public LockCommand() {
    this(Console.system(), FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public LockCommand(Console console, FilesConnector connector) {
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
    throw new CommandLine.ParameterException(spec.commandLine(), "weft lock: which command? list");
  }
}
