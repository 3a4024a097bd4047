package org.weft.cli.fs;

import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft fs}: the file commands. */
@Command(
    name = "fs",
    description = "Works with the files of a cluster.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      PutCommand.class,
      GetCommand.class,
      CatCommand.class,
      LsCommand.class,
      MkdirCommand.class,
      MvCommand.class,
      RmCommand.class,
      StatCommand.class,
      DfCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs put report.pdf /tmp/        copy a file in",
      "  weft fs put photos /tmp             copy a tree in, as /tmp/photos",
      "  weft fs ls -R /tmp                  what is there",
      "  weft fs get /tmp/photos .           copy it out again",
      "  weft fs rm -r /tmp/photos           remove it",
      "",
      "Paths in the cluster begin with '/'. `weft fs COMMAND --help` explains a command."
    })
public final class FsCommand implements Runnable {
  private final Console console;
  private final FsConnector connector;

  @Spec private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help and ends.")
  private boolean help;

  /** On the process's own streams, with real clusters. */
  public FsCommand() {
    this(Console.system(), FsConnector::real);
  }

  FsCommand(Console console, FsConnector connector) {
    this.console = console;
    this.connector = connector;
  }

  Console console() {
    return console;
  }

  FsConnector connector() {
    return connector;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "weft fs: which command? put, get, cat, ls, mkdir, mv, rm, stat or df");
  }
}
