package org.weft.cli.layout;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesGroup;
import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft layout}: where files lie. */
@Command(
    name = "layout",
    description = "Shows where a file lies, and sets the layout of the files of a directory.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LayoutShowCommand.class, LayoutSetCommand.class, CommandLine.HelpCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft layout show /data/big.bin",
      "  weft layout set /data --data 8 --parity 2 --unit 128k"
    })
public final class LayoutCommand extends FilesGroup {
  /** On any streams. */
  public LayoutCommand(Console console) {
    this(console, FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public LayoutCommand(Console console, FilesConnector connector) {
    super(console, connector);
  }
}
